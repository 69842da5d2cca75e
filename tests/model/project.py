# SPDX-License-Identifier: Apache-2.0
"""A project as values: what its source, its import, its pipelines and its pass say; and the edits that change one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

SOURCE = """{remark}
import pypto.language as pl
from sizes import SIZE


@pl.program
class Model:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(
        self, x: pl.Tensor[[SIZE, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]]
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        {local} = pl.load(x, [0, 0], [SIZE, SIZE])
        unused = pl.add({local}, 1.0)
        return pl.store(pl.mul({local}, {factor}.0), [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def shift(
        self, x: pl.Tensor[[SIZE, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]]
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        return pl.store(pl.add(pl.load({what}, [0, 0], [SIZE, SIZE]), {shift}.0), [0, 0], out)  # {remark}
"""

PASS = '''"""{remark}"""

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.host import hookimpl
from pypto_build.ir import rebuilt
from pypto_build.passes import FunctionPass

PYPTO_BUILD_API = 1


@dataclass(frozen=True, slots=True)
class Mark(FunctionPass):
    """Marks functions with its code, its option and the chip, and warns of each; `coarse` marks do not differ."""

    name: ClassVar[str] = "Mark"
    reads: ClassVar[tuple[str, ...]] = ("hardware",)
    level: int = 0

    def run(self, function, callees, context):
        text = f"{{{code} // 3}} {{self.level // 3}} {{context.hardware.name}}"
        context.report(Diagnostic("warning", "marked", f"{{function.name}} is marked {{text}}", function.span))
        return rebuilt(function, {{"attrs": {{"mark": text}}}})


@hookimpl
def pypto_register_passes():
    return {{"mark": ":Mark"}}
'''

PIPELINE = """# {remark}
{first}
{second}
plugins: [./mark.py]
passes:
  - convert_to_ssa
  - {{use: mark, options: {{level: {level}}}}}
{optional}  - normalize_stmt_structure
  - flatten_call_expr
verify: none
"""
VARIANT = "schema: 1\nname: variant\nextends: model.yaml\nedit: [{remove: flatten_call_expr}]\n"


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that decides a build, and things that must not: remarks, the order of YAML, the way of writing."""

    source_remark: str = ""
    local: str = "tile"
    factor: int = 2
    shift: int = 1
    mistake: bool = False
    size: str = "32"
    size_remark: str = ""
    code: int = 0
    code_remark: str = ""
    level: int = 0
    hardware: str = "ascend910b"
    simplify: bool = True
    yaml_remark: str = ""
    yaml_turned: bool = False
    variant: bool = False

    def files(self) -> dict[str, str]:
        """The text of each file."""
        head = ["schema: 1\nname: model", f"hardware: {self.hardware}"]
        first, second = head[::-1] if self.yaml_turned else head
        optional = "  - simplify\n" if self.simplify else ""
        return {
            "kernel.py": SOURCE.format(
                remark=f"# {self.source_remark}",
                local=self.local,
                factor=self.factor,
                shift=self.shift,
                what="missing" if self.mistake else "x",
            ),
            "sizes.py": f"# {self.size_remark}\nSIZE = {self.size}\n",
            "mark.py": PASS.format(remark=self.code_remark, code=self.code),
            "model.yaml": PIPELINE.format(
                remark=self.yaml_remark, first=first, second=second, level=self.level, optional=optional
            ),
            "variant.yaml": VARIANT,
        }

    @property
    def pipeline(self) -> str:
        """The file of the pipeline that is built with."""
        return "variant.yaml" if self.variant else "model.yaml"


Edit = Callable[[Project, Random], Project]


def _words(random: Random) -> str:
    return "".join(random.choice("abc \N{GREEK SMALL LETTER ALPHA}#") for _ in range(random.randrange(6))).strip()


EDITS: Mapping[str, Edit] = {
    "comment": lambda p, r: replace(p, source_remark=_words(r) + "\n# and another line" * r.randrange(2)),
    "rename": lambda p, r: replace(p, local=r.choice(("tile", "loaded", "rows"))),
    "one function": lambda p, r: replace(p, factor=r.randrange(2, 6)),
    "the other function": lambda p, r: replace(p, shift=r.randrange(1, 5)),
    "mistake": lambda p, _: replace(p, mistake=not p.mistake),
    "import": lambda p, r: replace(p, size=r.choice(("16", "32", "64"))),
    "import that means the same": lambda p, r: replace(p, size=r.choice(("32", "16 + 16", "64 // 2"))),
    "comment in an import": lambda p, r: replace(p, size_remark=_words(r)),
    "pass": lambda p, r: replace(p, code=r.randrange(6)),
    "comment in a pass": lambda p, r: replace(p, code_remark=_words(r)),
    "option": lambda p, r: replace(p, level=r.randrange(6)),
    "hardware": lambda p, r: replace(p, hardware=r.choice(("ascend910b", "ascend950"))),
    "list of passes": lambda p, _: replace(p, simplify=not p.simplify),
    "comment in the pipeline": lambda p, r: replace(p, yaml_remark=_words(r)),
    "order in the pipeline": lambda p, _: replace(p, yaml_turned=not p.yaml_turned),
    "another pipeline": lambda p, _: replace(p, variant=not p.variant),
}
