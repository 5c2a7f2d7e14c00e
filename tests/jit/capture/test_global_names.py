"""The globals that code names: no attributes, of inner functions and classes too."""

from jaxeager.jit.capture.global_names import global_names

number = 1


def reads_and_writes(x):
    global number
    number = len(x.shape) + x.step()
    return [round(each) for each in x]


def defines_a_class():
    class Inner:
        value = number

        def method(self):
            return self.step + abs(self.value)

    return Inner


def imports():
    from os import path

    return path.join


def test_attributes_are_no_globals():
    assert global_names(reads_and_writes.__code__) == ["len", "number", "round"]


def test_code_of_classes_and_inner_functions_counts():
    found = global_names(defines_a_class.__code__)
    assert {"number", "abs"} <= set(found)
    assert not {"step", "value"} & set(found)


def test_names_that_a_function_imports_are_its_own():
    assert global_names(imports.__code__) == []
