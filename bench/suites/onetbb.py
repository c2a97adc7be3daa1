"""oneTBB's tests, each a program (doctest); the library is built with the same compiler."""
from . import sources
from .suite import Suite, Test, compiled

FOLDERS = ("test/conformance", "test/tbb", "test/tbbmalloc")
FLAGS = ["-g", "-O2", "-w", "-std=c++17", "-pthread", "-mrtm", "-mwaitpkg", "-D__TBB_DYNAMIC_LOAD_ENABLED=0",
         "-DTBB_PREVIEW_WAITING_FOR_WORKERS=1", "-DDOCTEST_CONFIG_SUPER_FAST_ASSERTS"]


class OneTbb(Suite):
    name = "onetbb"
    title = "oneTBB"
    package = "onetbb"

    def fetch(self):
        self.source = sources.unpacked(self.package, self.folder.parent)

    def tests(self):
        return [Test(f"{folder.removeprefix('test/')}/{path.stem}", path)
                for folder in FOLDERS for path in sorted((self.source / folder).glob("*.cpp"))
                if path.stem.startswith(("test_", "conformance_"))]

    def prepare(self, variant):
        folder = self.folder / "build" / variant.name
        if any(folder.rglob("libtbbmalloc.so")) and any(folder.rglob("libtbb.so")):
            return
        compiled(["cmake", "-S", self.source, "-B", folder, f"-DCMAKE_C_COMPILER={variant.cc}",
                  f"-DCMAKE_CXX_COMPILER={variant.cxx}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DTBB_TEST=OFF",
                  "-DTBB_STRICT=OFF", "-DTBB_ENABLE_IPO=OFF"], self.folder)
        compiled(["cmake", "--build", folder, "-j1", "--target", "tbb", "tbbmalloc"], self.folder)

    def build(self, test, variant, program):
        folder = next((self.folder / "build" / variant.name).rglob("libtbb.so")).parent
        compiled([variant.cxx, *FLAGS, f"-I{self.source / 'include'}", f"-I{self.source / 'test'}", f"-I{self.source}",
                  test.source, "-o", program, f"-L{folder}", f"-Wl,-rpath,{folder}", "-ltbb", "-ltbbmalloc", "-ldl"],
                 test.source.parent)
