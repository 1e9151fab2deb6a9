# quoted.py URL WAY...
#   asks a gateway for what tests/clients/quoter.py quotes, in each of those ways: whole and in
#   pieces through a path, in chat, translated, and as a stream's error.  Says whatever of the key
#   stands between "bad key" and "really", or in a header; ends with 1 where there is any.
import http.client, json, re, sys, urllib.parse

url = urllib.parse.urlsplit(sys.argv[1])
door = http.client.HTTPConnection(url.netloc, timeout=60)
told = 0


def left(quoted):
    """What is no star: an end that base64 shares with what follows, and what stood before."""
    return quoted is None or '*' * 12 not in quoted or len(quoted.replace('*', '')) > 12


def ask(what, want, path, body, has_header=True):
    global told
    door.request('POST', '/v1' + path, json.dumps(body), {'content-type': 'application/json', 'x-tfy-retry-config': '{"attempts":0}'})
    answer = door.getresponse()
    text = answer.read().decode()
    quoted = re.search('bad key ([^,]*), really', text)
    if answer.status != want or left(quoted and quoted[1]) or 'secret' in text or (has_header and left(answer.headers['x-ratelimit-k'])):
        told += 1
        print(what, answer.status, text, answer.headers['x-ratelimit-k'])


for way in sys.argv[2:]:
    chat = {'messages': [{'role': 'user', 'content': 'q'}]}
    ask(way, 400, '/files?how=' + way, {})
    ask(way + ' in pieces', 400, '/files?how=split-' + way, {})
    ask(way + ' in chat', 400, '/chat/completions', {'model': 'q/' + way, **chat})
    ask(way + ' translated', 400, '/chat/completions', {'model': 't/' + way, **chat})
    ask(way + ' of a header', 400, '/chat/completions', {'model': 'h/' + way, **chat})
    ask(way + ' of a header, through a path', 400, '/headed?how=' + way, {})
    ask(way + ' in a stream', 502, '/chat/completions', {'model': 'q/%s-stream' % way, 'stream': True, **chat}, False)
sys.exit(told > 0)
