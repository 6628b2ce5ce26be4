"""Opens a file in the language server $1 and prints what it has to say of it.

    ask_server.py SERVER FILE
"""

import json
import pathlib
import subprocess
import sys


def message(method, number=None, **parameters):
    body = {"jsonrpc": "2.0", "method": method, "params": parameters}
    if number is not None:
        body["id"] = number
    text = json.dumps(body)
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


file = pathlib.Path(sys.argv[2]).resolve()
asked = "".join([
    message("initialize", 0, processId=None, capabilities={},
            rootUri=None),
    message("textDocument/didOpen", textDocument={
        "uri": file.as_uri(), "languageId": "mlir", "version": 1,
        "text": file.read_text()}),
    message("shutdown", 1), message("exit")])
done = subprocess.run([sys.argv[1]], input=asked, capture_output=True,
                      text=True, timeout=60, check=True)
for part in done.stdout.split("Content-Length:")[1:]:
    answer = json.loads(part[part.index("{"):])
    if answer.get("method") == "textDocument/publishDiagnostics":
        found = answer["params"]["diagnostics"]
        print(f"{file.name}: {len(found)} diagnostics")
        for one in found:
            print(f"  line {one['range']['start']['line'] + 1}: {one['message']}")
