"""Make wheels of a package whose third version breaks a program: bisect finds it."""

import os
import zipfile

os.makedirs("wheels")
for version, factor in [("1.0", 1.0), ("1.1", 1.5), ("1.2", 3.0), ("1.3", 3.5)]:
    with zipfile.ZipFile(f"wheels/scales-{version}-py3-none-any.whl", "w") as wheel:
        folder = f"scales-{version}.dist-info"
        wheel.writestr("scales.py", f"factor = {factor}\n")
        metadata = f"Metadata-Version: 2.1\nName: scales\nVersion: {version}\n"
        wheel.writestr(f"{folder}/METADATA", metadata)
        wheel.writestr(f"{folder}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{folder}/RECORD", "")
