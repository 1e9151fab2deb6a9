# quoter.py KEY --ready-file FILE
#   a provider that quotes the key it was sent (TRACE: all of it), in the way that its path or the
#   model's name says, and counts tokens as the model's name says
import base64, gzip, html, json, sys, time, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = sys.argv[1]
usages = {
    'minus': '{"prompt_tokens":-5,"completion_tokens":99999999999999999999}',
    'text': '{"prompt_tokens":"5","completion_tokens":null}',
    'huge': '{"prompt_tokens":1e308,"completion_tokens":1}',
    'empty': '{}',
    'good': '{"prompt_tokens":3,"completion_tokens":4}',
}


def percent(text, digits='%%%02X'):
    return ''.join(digits % ord(c) for c in text)


# How a text may write a key, and in which form it may have it.
written = {
    'first': key[:16],
    'last': key[-16:],
    'middle': key[3:-3],
    'escaped': ''.join('\\u%04x' % ord(c) for c in key),
    'again': ''.join('\\\\u%04X' % ord(c) for c in key),
    'script': ''.join('\\\\x%02x' % ord(c) for c in key),
    'slash': key.replace('/', '\\/'),
    'url': urllib.parse.quote(key, safe=''),
    'url-low': urllib.parse.quote(key, safe='').replace('%2F', '%2f').replace('%2B', '%2b'),
    'url-all': percent(key),
    'url-twice': urllib.parse.quote(urllib.parse.quote(key, safe=''), safe=''),
    'url-half': urllib.parse.quote(key, safe='')[-18:],
    'url-escaped': urllib.parse.quote(key, safe='').replace('%', '\\u0025'),
    'html': key.replace('/', '&#x2F;').replace('+', '&#43;'),
    'html-twice': html.escape(key.replace('/', '&#47;').replace('+', '&#x02b;')),
    'html-go': key.replace('/', '\\u0026#47;'),
    'hex': key.encode().hex(),
    'hex-up': key.encode().hex().upper(),
    'base64': base64.b64encode(key.encode()).decode(),
    'base64-url': base64.urlsafe_b64encode(b'?' + key.encode()).decode(),
    'basic': base64.b64encode(b'a:' + key.encode()).decode(),
    'bearer': urllib.parse.quote(base64.b64encode(b'Bearer ' + key.encode()).decode()),
}


class Quoter(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *a):
        pass

    def do_TRACE(self):
        text = ('%s\r\n%s' % (self.requestline, self.headers)).encode()
        self.send_response(200)
        self.send_header('content-type', 'message/http')
        self.send_header('content-length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_CONNECT = do_Trace = do_TRACE

    def stream(self, *words):
        events = ['{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}' % json.dumps(w) for w in words]
        text = ''.join('data: %s\n\n' % e for e in events + ['{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', '[DONE]']).encode()
        self.send_response(200)
        self.send_header('content-type', 'text/event-stream')
        self.send_header('content-length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def stream_error(self, quoted):
        text = ('data: {"error":{"message":"bad key %s, really"}}\n\n' % quoted).encode()
        self.send_response(200)
        self.send_header('content-type', 'text/event-stream')
        self.send_header('content-length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('content-length', 0)))
        how = self.path.split('how=')[-1].split('&')[0]
        model = '' if 'how=' in self.path else json.loads(body)['model']
        way, model = model.endswith('-stream'), model.removesuffix('-stream')
        quoted = written.get(how.removeprefix('split-').removeprefix('fine-') or model.removeprefix('talks-'), key)
        quoted = '%s?%s' % (self.path, key) if model == 'path' else quoted
        text = b'{"error":{"message":"bad key %s, really","type":"x"}}' % quoted.encode()
        status = 400
        if model in usages:
            status, text = 200, b'{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"yes, it is so"},"finish_reason":"stop"}],"usage":%s}' % usages[model].encode()
        if model.startswith('parted-'):
            return self.stream(key[:int(model[7:])], key[int(model[7:]):])
        if way:
            return self.stream_error(quoted)
        if how.startswith('fine'):
            status, how = 200, how[5:]
        if how == 'gzip':
            text = gzip.compress(text)
        if how == 'long':
            text = b'x' * 100000 + text
        self.send_response(302 if how == 'moved' else status)
        self.send_header('content-type', 'application/json')
        self.send_header('x-ratelimit-k', quoted)
        self.send_header('openai-processing-ms', quoted)
        if how == 'gzip':
            self.send_header('content-encoding', 'gzip')
        self.send_header('content-length', str(len(text)))
        self.end_headers()
        if how.startswith('split'):
            for i in range(0, len(text), 2):
                self.wfile.write(text[i:i + 2])
                self.wfile.flush()
                time.sleep(0.001)
        else:
            self.wfile.write(text)


server = ThreadingHTTPServer(('127.0.0.1', 0), Quoter)
line = 'ready upstream=127.0.0.1:%d' % server.server_port
with open(sys.argv[3], 'w') as f:
    f.write(line + '\n')
print(line, flush=True)
server.serve_forever()
