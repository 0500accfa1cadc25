"""Says of each request whether it fits the rules in the contract.

Argument: a file with the contract's descriptors. Input: a JSON list of [method, request as JSON]. Output: a JSON list
of booleans.
"""

import json
import sys

import protovalidate
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

files = descriptor_pb2.FileDescriptorSet()
with open(sys.argv[1], "rb") as file:
    files.ParseFromString(file.read())
# The default pool, where the rules' own extension is known.
pool = descriptor_pool.Default()
for file in files.file:
    try:
        pool.FindFileByName(file.name)
    except KeyError:
        pool.Add(file)


def fits(method, request):
    service, name = method.split("/")
    found = pool.FindServiceByName("memorylifecycle.v1." + service).FindMethodByName(name)
    message = message_factory.GetMessageClass(found.input_type)()
    json_format.Parse(request, message)
    try:
        protovalidate.validate(message)
    except protovalidate.ValidationError:
        return False
    return True


json.dump([fits(method, request) for method, request in json.load(sys.stdin)], sys.stdout)
