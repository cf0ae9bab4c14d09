"""The figures of cells: MyST-NB hands over their records (`attnfigures.kit.record`), and a node carries each.

`write.figures` draws them on a page, `write.notebooks` in a notebook, and `outputs.translated` translates them.
"""

from attnfigures.kit import record
from docutils import nodes


class drawn_figure(nodes.General, nodes.Element):
    """A figure that a cell has drawn: its `record`."""


class Renderer:
    """Turn the record of a figure into a node; MyST-NB finds this class by the entry point in pyproject.toml."""

    mime_priority_overrides = (("*", record.MIME, 1),)

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Return the node for the record of a figure, or None for another MIME type."""
        if inline or data.mime_type != record.MIME:
            return None
        return [drawn_figure(record=dict(data.content), classes=["output", "text_html"])]


def live_names(doctree):
    """Return the names of the live figures on a page."""
    records = (node["record"] for node in doctree.findall(drawn_figure))
    return sorted({found["name"] for found in records if found["kind"] == "live"})
