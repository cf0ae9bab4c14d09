"""Join a figure's JavaScript with its Python: on a page, in a notebook, and in a live kernel."""

import functools
import importlib.util
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
from attnbook.check.display import is_live

from . import markup
from .files import module, script, styles
from .record import LiveRecord, bundle
from .style import Picture

__all__ = ["Live"]

Ask = dict[str, Any] | str | None  # a question before the answers, as `Live` takes it


class Live:
    """A figure that the reader moves, and its state.

    A figure shows what ``compute(state)`` returns. On a page the reader changes the state in JavaScript. In a live
    kernel the state is joined to this object in both directions, if ``anywidget`` is installed. ``ask`` is a question
    that the reader answers before the results are shown: a dict with ``question``, ``options``, the index ``answer``,
    and a list ``why``. A link to a state begins with ``label``, the id of the figure on its page.
    """

    def __init__(
        self,
        name: str,
        state: dict[str, Any],
        *,
        compute: Callable[..., dict],
        check: Callable[..., None],
        still: Callable[[dict, bool], Picture],
        ask: Ask,
        label: str,
    ) -> None:
        check(**state)
        self.name = name
        self.ask = _checked_ask(ask)
        self.label = label
        self.key = uuid.uuid4().hex
        self._state = state
        self._compute = compute
        self._check = check
        self._still = still

    @property
    def state(self) -> dict[str, Any]:
        """The state as it is now; in a live kernel, what the reader has dragged and typed."""
        return dict(self.widget.state if "widget" in self.__dict__ else self._state)

    def set(self, **change: Any) -> None:
        """Change parts of the state; in a live kernel the figure on the screen follows.

        Raises ``ValueError`` if the figure has no such part, or cannot be drawn in that state.
        """
        unknown = sorted(set(change) - set(self._state))
        if unknown:
            raise ValueError(f"{self.name} has no state {', '.join(unknown)}; expected some of {list(self._state)}")
        state = {**self.state, **change}
        self._check(**state)
        self._state = state
        if "widget" in self.__dict__:
            self.widget.state = state

    def compute(self) -> dict[str, Any]:
        """Return what the figure shows, computed by the functions of this package from ``state``."""
        return self._compute(**self.state)

    def still(self) -> Picture:
        """Draw the state as a picture; what the reader is asked to predict stays hidden."""
        return self._still(self.state, self.ask is not None)

    def observe(self, call: Callable[["Live"], Any]) -> None:
        """Call ``call(figure)`` whenever the reader changes something. Needs a live kernel and ``anywidget``."""
        self.widget.observe(lambda change: call(self), names="state")

    @functools.cached_property
    def widget(self) -> Any:
        """The widget without a view that holds the state in a live kernel."""
        import anywidget
        import traitlets

        # One trait for the whole state: a trait named `keys`, for one, would hide a method of every widget.
        traits = {
            "_esm": module(self.name),
            "key": traitlets.Unicode(self.key).tag(sync=True),
            "state": traitlets.Dict(self._state).tag(sync=True),
        }
        return type(self.name.title(), (anywidget.AnyWidget,), traits)()

    def _record(self, drawing: str) -> LiveRecord:
        """What the figure hands over, with the drawing of its still: see `attnfigures.kit.record`."""
        return {
            "kind": "live",
            "name": self.name,
            "label": self.label,
            "state": self.state,
            "ask": self.ask,
            "drawing": drawing,
        }

    def _repr_html_(self) -> str:
        """The place of the figure: its still, and its state as data."""
        return markup.live(self._record(self.still().svg))

    def _ipython_display_(self) -> None:
        """Display the record and HTML, which a saved notebook keeps; in a live kernel a widget without a view joins it.

        The widget itself is not displayed: opened without its kernel, a notebook would show an error in its place.
        """
        from IPython.display import display

        still = self.still()
        record = self._record(still.svg)
        html = markup.live(record)
        if is_live():
            if importlib.util.find_spec("anywidget"):
                self.widget  # noqa: B018 (made now, so that the page finds it)
            drawn_by = f"<style>{styles([self.name])}</style><script>{script([self.name])}</script>"
            html = markup.live(record, key=self.key) + drawn_by
        display(bundle(record, text=still.alt, html=html), raw=True)


def require_one_of(name: str, value: Any, choices: Any) -> None:
    """Raise ``ValueError`` unless ``value`` is one of ``choices``; 1 is not True."""
    if not any(value == x and isinstance(value, bool) == isinstance(x, bool) for x in choices):
        raise ValueError(f"{name} = {value!r}; expected one of {', '.join(map(str, choices))}")


def require_sentence(name: str, value: Any) -> None:
    """Raise ``ValueError`` unless ``value`` is a text without half of a surrogate pair."""
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} = {value!r}; expected a sentence")


def require_within(name: str, value: float, least: float, most: float) -> None:
    """Raise ``ValueError`` unless ``value`` is from ``least`` to ``most``."""
    if not least <= value <= most:
        raise ValueError(f"{name} = {value}; expected {least:.15g} to {most:.15g}")


def require_points(name: str, points: Any, counts: range, reach: float) -> np.ndarray:
    """Return ``points``, a row (x, y) each; raise ``ValueError`` if their number or a coordinate is out of range."""
    X = np.asarray(points, dtype=float)
    if X.ndim != 2 or len(X) not in counts or X.shape[1] != 2 or not (abs(X) <= reach).all():
        number = " to ".join(map(str, sorted({counts[0], counts[-1]})))
        raise ValueError(f"{name} has shape {X.shape}; expected ({number}, 2), each number from -{reach} to {reach}")
    return X


def _checked_ask(ask):
    """Return ``ask`` if it is None, a word, or a question with options, the index of the answer and their reasons."""
    if ask is None or isinstance(ask, str):
        return ask
    missing = sorted({"question", "options", "answer", "why"} - set(ask))
    if missing:
        raise ValueError(f"ask has no {', '.join(missing)}; expected question, options, answer and why")
    if not 2 <= len(ask["options"]) <= 6 or ask["answer"] not in range(len(ask["options"])):
        raise ValueError(
            f"ask has {len(ask['options'])} options and the answer {ask['answer']}; expected 2 to 6 options, "
            "and the answer as the index of one of them"
        )
    if isinstance(ask["why"], str) or len(ask["why"]) != len(ask["options"]):
        raise ValueError(f"why = {ask['why']!r}; expected a reason for each of the {len(ask['options'])} options")
    return dict(ask)
