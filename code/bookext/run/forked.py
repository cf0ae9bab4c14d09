"""Start the kernels of a build from one process that has imported the large libraries, and so save their seconds.

Importing torch, SciPy and Matplotlib takes as long as half of the chapters themselves. Where a process can be forked
safely, on Linux, a kernel is a copy of a server that has done so; elsewhere it starts as any kernel does.
"""

import functools
import multiprocessing
import os
import sys
from importlib.metadata import EntryPoint
from multiprocessing import forkserver

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

LIBRARIES = ["torch", "scipy.stats", "scipy.optimize", "scipy.integrate", "matplotlib.pyplot", "ipywidgets"]
LIBRARIES += ["torch._dynamo", "array_api_compat.torch", "array_api_compat.numpy", "ipykernel.kernelapp"]
CPU_LIMIT = "BOOK_CPU_SECONDS"  # in the environment of a kernel: it may work for so long


def install():
    """Let jupyter_client start its kernels in this way, wherever that is possible; the server begins to import."""
    if sys.platform == "linux":
        _server()
        forkserver.ensure_running()
        factory = KernelProvisionerFactory.instance()
        factory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:Forked", factory.GROUP_NAME)
        factory.default_provisioner_name = "forked"


class Forked(LocalProvisioner):
    """A local kernel that is forked from the server of this process."""

    async def launch_kernel(self, cmd, **kwargs):
        """Start a kernel with the arguments of its ordinary command, and with its environment and folder."""
        arguments = cmd[cmd.index("-f") :]
        folder = str(kwargs.get("cwd") or os.getcwd())
        process = _server().Process(target=_kernel, args=(arguments, kwargs["env"], folder), daemon=True)
        process.start()
        self.process = _Process(process)  # type: ignore[assignment]  # of which it asks for no more than is there
        self.pid, self.pgid = process.pid, process.pid
        self.cwd = folder  # type: ignore[assignment]
        return self.connection_info


class _Process:
    """What LocalProvisioner asks of a subprocess.Popen."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self.process, self.kill, self.terminate = process, process.kill, process.terminate

    def poll(self):
        return self.process.exitcode

    def wait(self):
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.process.pid, number)


@functools.cache
def _server():
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process with threads must not be forked
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    return context


def _kernel(arguments, environment, folder):
    """Be a kernel, in a session of its own, so that the processes that it starts end with it."""
    os.setsid()
    # The server ends when nobody holds this end of a pipe any more; a kernel that did would keep it alive.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if CPU_LIMIT in environment:
        import resource  # not there on every system

        limit = int(environment[CPU_LIMIT])
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 9))
    from ipykernel.kernelapp import launch_new_instance

    for name in [name for name in sys.modules if name.split(".")[0] in ("attnbook", "attnfigures", "bookext")]:
        del sys.modules[name]  # those of the build itself; the kernel may belong to another tree
    sys.path[:0] = ["", *(path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path)]
    # The kernel ends when its parent does, which is the server; and that ends with the build.
    launch_new_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])
