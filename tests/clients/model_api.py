"""A stand-in for the models of several vendors: it keeps what clients send, and answers as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "Noted by the stand-in."


Arguments = dict[str, Any] | Callable[[str], dict[str, Any]]


class Model(ThreadingHTTPServer):
    """Answers with a word, or with the next call of a tool; its arguments may depend on what it was told last."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, Any]] = []
        self.calls: list[tuple[str, Arguments]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def heard_since(self, request: int) -> str:
        """All that clients have sent from a request on."""
        return "\n".join(json.dumps(body, ensure_ascii=False) for _, body in self.requests[request:])

    def next_call(self, tools: list[str]) -> tuple[str, dict[str, Any]] | None:
        """The call that is to be made next, by the name that the client has given the tool."""
        if not self.calls:
            return None
        name, arguments = self.calls[0]
        endings = tuple(f"{mark}{name}" for mark in "_.-")
        full = next((each for each in tools if each == name or each.endswith(endings)), None)
        if full is None:
            return None
        del self.calls[0]
        body = self.requests[-1][1]
        said = json.dumps(body.get("messages") or body.get("input"), ensure_ascii=False)
        return full, arguments(said) if callable(arguments) else arguments


@contextmanager
def model() -> Iterator[Model]:
    """A model that listens."""
    server = Model()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._json({"data": [], "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        self.server.requests.append((self.path, body))
        path = self.path.split("?")[0]
        if path.endswith("/messages"):
            self._anthropic(body)
        elif path.endswith("/responses"):
            self._responses(body)
        elif path.endswith("/chat/completions"):
            self._chat(body)
        elif "enerateContent" in path:
            self._gemini(body, stream="stream" in path)
        elif path.endswith(("count_tokens", ":countTokens")):
            self._json({"input_tokens": 10, "totalTokens": 10})
        else:
            self._json({})

    def _json(self, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, events: list[tuple[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for name, value in events:
            head = f"event: {name}\n" if name else ""
            text = value if isinstance(value, str) else json.dumps(value)
            self.wfile.write(f"{head}data: {text}\n\n".encode())

    def _anthropic(self, body: dict[str, Any]) -> None:
        call = self.server.next_call([each["name"] for each in body.get("tools") or ()])
        block: dict[str, Any] = {"type": "text", "text": SAID}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{len(self.server.requests)}", "name": call[0], "input": call[1]}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "m"),
            "content": [block],
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        if not body.get("stream"):
            self._json(message)
            return
        delta = {"type": "text_delta", "text": SAID}
        if call:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        empty = block | ({"input": {}} if call else {"text": ""})
        self._events(
            [
                ("message_start", {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}),
                ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": empty}),
                ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
                ("content_block_stop", {"type": "content_block_stop", "index": 0}),
                (
                    "message_delta",
                    {
                        "type": "message_delta",
                        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
                        "usage": {"output_tokens": 1},
                    },
                ),
                ("message_stop", {"type": "message_stop"}),
            ]
        )

    def _responses(self, body: dict[str, Any]) -> None:
        names: list[str] = []
        spaces: dict[str, str] = {}
        for each in body.get("tools") or ():
            names.append(each.get("name", ""))
            for inner in each.get("tools") or ():  # tools of one server, in a namespace
                names.append(inner.get("name", ""))
                spaces[inner.get("name", "")] = each.get("name", "")
        call = self.server.next_call(names)
        if call:
            item: dict[str, Any] = {
                "type": "function_call",
                "id": f"fc_{len(self.server.requests)}",
                "call_id": f"call_{len(self.server.requests)}",
                "name": call[0],
                "arguments": json.dumps(call[1]),
            }
            if call[0] in spaces:
                item["namespace"] = spaces[call[0]]
        else:
            text = {"type": "output_text", "text": SAID, "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        self._events(
            [
                ("response.created", {"type": "response.created", "response": response | {"status": "in_progress"}}),
                ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}),
                ("response.completed", {"type": "response.completed", "response": response}),
            ]
        )

    def _chat(self, body: dict[str, Any]) -> None:
        call = self.server.next_call([each["function"]["name"] for each in body.get("tools") or ()])
        delta: dict[str, Any] = {"role": "assistant", "content": SAID}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            call_id = f"c{len(self.server.requests)}"
            delta = {
                "role": "assistant",
                "tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}],
            }
        end = "tool_calls" if call else "stop"
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body.get("model", "m")}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if body.get("stream"):
            self._events(
                [
                    ("", head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
                    ("", head | {"choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage}),
                    ("", "[DONE]"),
                ]
            )
        else:
            choice = {"index": 0, "message": delta, "finish_reason": end}
            self._json(head | {"object": "chat.completion", "choices": [choice], "usage": usage})

    def _gemini(self, body: dict[str, Any], *, stream: bool) -> None:
        declared = [each for group in body.get("tools") or () for each in group.get("functionDeclarations") or ()]
        call = self.server.next_call([each["name"] for each in declared])
        part: dict[str, Any] = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": SAID}
        answer = {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        }
        if stream:
            self._events([("", answer)])
        else:
            self._json(answer)
