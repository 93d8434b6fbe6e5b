"""Starting Dateline from a Python program, as its local backend:

    python3 embed.py ./dateline ./data

The child gets a pipe as its input. When this program ends, in whatever way, the pipe closes and so does Dateline.
"""

import json
import pathlib
import subprocess
import sys
import urllib.request

program = sys.argv[1] if len(sys.argv) > 1 else "dateline"
data_dir = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "data").resolve()
token_file = data_dir / "token"
data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)

words = [program, "serve", "--port", "0", "--data-dir", data_dir, "--token-file", token_file, "--exit-with-parent"]
service = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

# One line of JSON, when requests are accepted. No line means that it ended, and stderr has said why.
line = service.stdout.readline()
if line == "":
    sys.exit(1)
ready = json.loads(line)
token = token_file.read_text().strip()
# A proxy that the environment names is not for this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method, path, body=None):
    """Calls the API, and makes sure that the answer comes from the service started above."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(ready["url"] + path, data, headers, method=method)
    with opener.open(request) as response:
        if response.headers["X-Dateline-Instance"] != ready["instance"]:
            raise RuntimeError("another service answers")
        return json.load(response)["data"]


topic = {"name": "Harbours", "description": "Ships and tides.", "iconUrl": "https://example.org/h.png"}
created = call("POST", "/api/v1/data?model=topic", topic)
items = call("GET", "/api/v1/data?model=topic")["items"]
print(f"{len(items)} topic, {items[0]['name']}, {'as created' if items[0] == created else 'not as created'}")

service.stdin.close()
print(f"ended with {service.wait()}")
