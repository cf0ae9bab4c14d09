"""Where the book depends on parts of other libraries that these do not promise to keep, and why.

Each function names the library, the version in which the part was seen, and what would make the function superfluous.
When an update breaks the build, look here first. The imports stand in the functions, because a kernel that is forked
for a chapter needs one of them and none of Sphinx.
"""

import os
from importlib.metadata import EntryPoint

# --- MyST-NB 1.4.0 ----------------------------------------------------------------------------------------------------


def recognise_chapters_by(cache):
    """Let MyST-NB look for stored outputs in a cache of the class ``cache``.

    It calls ``jupyter_cache.get_cache`` without a class and offers no setting for one, so a chapter would be recognised
    by its cells alone, and not by the code that these import. A setting such as ``nb_execution_cache_class`` would do.
    """
    import functools

    import jupyter_cache
    from myst_nb.core.execute import cache as module

    module.get_cache = functools.partial(jupyter_cache.get_cache, cache_cls=cache)


def read_notebook(env, path, text):
    """Return a page as the notebook that MyST-NB will make of it, or None: both ask the cache for the same hash.

    The reader is chosen by settings that only MyST-NB has, which it keeps in the environment.
    """
    from myst_nb.core.read import create_nb_reader

    reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
    return reader and reader.read(text)


def uses_stored_outputs(env):
    """Test whether pages are made of stored outputs, after all that the command line and settings say of it."""
    return env.mystnb_config.execution_mode == "cache"


def glued(document):
    """Return what the cells of a page have glued: {name: output}; nothing in a translated sentence.

    ``glue`` has roles for this, but they render what they find; {eval} wants the text. The renderer of the page is the
    only one who knows the outputs while the page is read.
    """
    renderer = document.get("nb_renderer")
    return renderer.renderer.nb_client.glue_data if renderer else {}


def folded_cell():
    """Return the class of the node around a cell whose code or output is folded away.

    It is written here, by one line for the code and the laws of a cell; and code that is folded away is not read.
    """
    from myst_nb.sphinx_ import HideCodeCellNode

    return HideCodeCellNode


def is_cell(node):
    """Test for the node of a code cell; MyST-NB tells its containers apart by this attribute."""
    return node.get("nb_element") == "cell_code"


def is_output(node):
    """Test for the node around the outputs of a cell."""
    return node.get("nb_element") == "cell_code_output"


def forms(document):
    """Yield the forms of each output, as nodes around them; MyST-NB chooses one when it writes the page."""
    from docutils import nodes

    for bundle in document.findall(nodes.container):
        if bundle.get("nb_element") == "mime_bundle":
            yield list(bundle.children)


# --- sphinx-exercise 1.2.1, sphinx-proof 0.4.0 ------------------------------------------------------------------------


def exercise_nodes():
    """Return the module of the nodes of exercises: their titles are translated, numbered and folded here.

    sphinx-exercise documents its directives and no node. Notebooks know the same classes by name.
    """
    from sphinx_exercise import nodes

    return nodes


def exercise_of(env, label):
    """Return what sphinx-exercise keeps of an exercise for its solution to quote, or None."""
    return env.sphinx_exercise_registry.get(label)


def kinds_of_theorems():
    """Return the names of the boxes of sphinx-proof, which it translates word by word where it writes them."""
    from sphinx_proof.proof_type import PROOF_TYPES

    return list(PROOF_TYPES)


# --- Sphinx 7.4.7 -----------------------------------------------------------------------------------------------------


def make_project(app, project):
    """Make the project of a build one of the subclass ``project``: Sphinx has made it before any extension is asked.

    A page without a file would need an event that adds names to those found.
    """
    app.project.__class__ = project


def write_in_processes(app, count):
    """Write pages in so many processes: the option ``-j`` is Sphinx's own, and Jupyter Book does not hand it on."""
    app.parallel = count


# --- jupyter_client 8.10.0, Python 3.11 -------------------------------------------------------------------------------


def start_kernels_by(name, place):
    """Let jupyter_client start kernels by the provisioner at ``place``, as "module:class".

    An entry point would do the same for every Jupyter of this environment; this is for one process.
    """
    from jupyter_client.provisioning import KernelProvisionerFactory

    factory = KernelProvisionerFactory.instance()
    factory.provisioners[name] = EntryPoint(name, place, factory.GROUP_NAME)
    factory.default_provisioner_name = name


def leave_fork_server():
    """Close, in a forked process, the end of the pipe that keeps its server alive.

    The server ends when nobody holds this end any more. A kernel inherits it, and would keep the server alive.
    """
    from multiprocessing import forkserver

    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
