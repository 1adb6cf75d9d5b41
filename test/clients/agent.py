"""An agent that signs in to /mcp with a browser. Argument: the address of the server. Prints what it got as JSON."""
import base64
import hashlib
import http.server
import json
import re
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

address = sys.argv[1]
as_json = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def read(url, data=None, headers={}):
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as response:
        return response.read().decode()


def discover():
    try:
        read(address + "/mcp", b"{}", as_json)
    except urllib.error.HTTPError as error:
        metadata = re.search('resource_metadata="([^"]+)"', error.headers["WWW-Authenticate"]).group(1)
    found = json.loads(read(metadata))
    issuer = found["authorization_servers"][0]
    return found["resource"], json.loads(read(issuer + "/.well-known/oauth-authorization-server"))


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        self.server.code = query["code"][0]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def sign_in(resource, server):
    callback = http.server.HTTPServer(("127.0.0.1", 0), Callback)
    redirect_uri = "http://127.0.0.1:%d/callback" % callback.server_port
    client = {"redirect_uris": [redirect_uri], "client_name": "An agent", "token_endpoint_auth_method": "none"}
    registered = json.loads(read(server["registration_endpoint"], json.dumps(client).encode(), as_json))
    shared = {"client_id": registered["client_id"], "redirect_uri": redirect_uri, "resource": resource}
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {**shared, "response_type": "code", "code_challenge": challenge, "code_challenge_method": "S256"}
    link = server["authorization_endpoint"] + "?" + urllib.parse.urlencode({**asked, "state": "the-state"})
    print("open " + link, file=sys.stderr, flush=True)
    callback.handle_request()
    grant = {**shared, "grant_type": "authorization_code", "code": callback.code, "code_verifier": verifier}
    return json.loads(read(server["token_endpoint"], urllib.parse.urlencode(grant).encode()))["access_token"]


token = sign_in(*discover())


def call(method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    text = read(address + "/mcp", body, {**as_json, "Authorization": "Bearer " + token})
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return json.loads(lines[0] if lines else text)["result"]


place = {"lat": 40.015, "lng": -105.2705, "fields": ["elevation"]}
print(json.dumps({
    "tools": [tool["name"] for tool in call("tools/list", {})["tools"]],
    "prompts": [prompt["name"] for prompt in call("prompts/list", {})["prompts"]],
    "text": call("tools/call", {"name": "fetch_fields", "arguments": place})["content"][0]["text"],
}))
