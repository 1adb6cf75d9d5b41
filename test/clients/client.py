"""A client of the public interface. Arguments: the address of the server and a token. Prints what it got as JSON."""
import json
import sys
import time
import urllib.error
import urllib.request

address, token = sys.argv[1:3]
at = {"lat": 40.015, "lng": -105.2705}


def call(method, path, body=None, bearer=token):
    headers = {"Authorization": "Bearer " + bearer, "Accept": "application/json, text/event-stream"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            text = response.read().decode()
    except urllib.error.HTTPError as error:
        text = error.read().decode()
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return json.loads(lines[0] if lines else text)


def run(fields):
    request = {"locations": [at], "fields": fields}
    submitted = call("POST", "/v1/runs", {"kind": "fetch_batch", "request": request})
    while True:
        document = call("GET", submitted["poll"])
        if document["status"] in ("done", "failed", "cancelled"):
            return document
        time.sleep(0.1)


def login():
    started = call("POST", "/v1/mcp/device/start", {})
    print("code " + started["user_code"], file=sys.stderr, flush=True)
    while True:
        time.sleep(started["interval"])
        polled = call("POST", "/v1/mcp/device/poll", {"device_code": started["device_code"]})
        if polled["status"] != "pending":
            return polled


presets = call("GET", "/v1/meta/fields")["presets"]
batch = call("POST", "/v1/fetch/batch", {"locations": [at, {"lat": 10, "lng": -74}], "preset": "terrain"})
finished = run(["elevation", "slope_degrees"])
answered = call("POST", "/v1/ask", {**at, "question": "How high is this place?", "include_trace": True})
place = call("POST", "/v1/lookup", {"input": "%s,%s" % (at["lat"], at["lng"])})
found = call("POST", "/v1/geocode", {"address": "1777 Broadway, Boulder, CO 80302"})
coarse = call("POST", "/v1/geocode", {"address": "Boulder, CO"})
granted = login()
agent = call("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}, granted["token"])
print(json.dumps({
    "presets": len(presets),
    "batch": [entry["ok"] for entry in batch["results"]],
    "run": [finished["status"], list(finished["result"]["results"][0]["fields"])],
    "fields_used": answered["fields_used"],
    "market": list(place["county_market"]),
    "grades": [found["accuracy_type"], found["match_type"], coarse["detail"]["error"]],
    "login": granted["status"],
    "tools": [tool["name"] for tool in agent["result"]["tools"]],
}))
