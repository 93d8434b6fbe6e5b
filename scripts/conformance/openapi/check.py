"""Validates the description of the API, and the table of tests of our own validator: check.py OPENAPI CASES"""
import copy
import json
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

failures = []


def errors_of(document):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in
            OpenAPIV31SpecValidator(document).iter_errors()]


document = json.load(open(sys.argv[1]))
failures += errors_of(document)

# A validator that takes anything would tell nothing.
for path, value in [(["openapi"], "3.0"), (["paths", "/healthz", "get", "responses"], {"200": {}}),
                    (["components", "schemas", "User", "type"], "objekt")]:
    wrong = copy.deepcopy(document)
    place = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    if not errors_of(wrong):
        failures.append(f"the validator takes {value!r} at {'/'.join(path)}")

# The examples, by a second opinion on the schemas that they belong to.
examples = 0
for name, schema in document["components"]["schemas"].items():
    example = document["components"]["examples"].get(name)
    if example is None:
        continue
    value = example["value"]["data"] if "metadata" in example["value"] else example["value"]
    whole = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    failures += [f"example {name}: {error.message[:300]}" for error in Draft202012Validator(whole).iter_errors(value)]
    examples += 1

# Formats are left out: jsonschema checks only some of them, and those by rules of its own.
cases = [case for case in json.load(open(sys.argv[2])) if '"format"' not in json.dumps(case["schema"])]
values = 0
for case in cases:
    Draft202012Validator.check_schema(case["schema"])
    validator = Draft202012Validator(case["schema"])
    for wanted in ("good", "bad"):
        for value in case[wanted]:
            values += 1
            if validator.is_valid(value) != (wanted == "good"):
                failures.append(f"{case['name']}: jsonschema does not find {json.dumps(value)} {wanted}")

for failure in failures:
    print(f"openapi: {failure}", file=sys.stderr)
if not failures:
    print(f"openapi: {len(document['paths'])} paths and {len(document['components']['schemas'])} schemas are "
          f"valid, {examples} examples fit, and jsonschema agrees with our validator on {values} values")
sys.exit(1 if failures or examples == 0 or values == 0 else 0)
