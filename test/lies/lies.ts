import documentsFile from './documents.json' with { type: 'json' }

/** One answer to every request, whatever was asked. */
export type Lie = {
  name: string
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Uint8Array
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

/** A complete image of one transparent pixel. */
const png = bytes(
  '89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364600000000600023081d02f0000000049454e44ae426082',
)
const gif = bytes('47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b')
const emptyZip = bytes('504b0506000000000000000000000000000000000000')

const zero = bytes('00'.repeat(64))
const byteOrderMark = '\ufeff'

const page = '<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>'
const exception =
  '<?xml version="1.0"?><ServiceExceptionReport version="1.1.1"><ServiceException code="LayerNotDefined">unknown layer</ServiceException></ServiceExceptionReport>'
const grid = 'ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n1 2\n3 4\n'

/** Bodies that are no answer of the publisher, with status 200 and a type that promises one. */
const texts: Record<string, string | Uint8Array> = {
  'an empty body': '',
  'white space': ' \r\n\t ',
  'a byte order mark alone': byteOrderMark,
  NULs: zero,
  'a page': page,
  'a page after a byte order mark': `${byteOrderMark}${page}`,
  'half a page': page.slice(0, 40),
  'a PNG': png,
  'a GIF': gif,
  'an empty ZIP': emptyZip,
  'a gzip body without its header': new Uint8Array(Bun.gzipSync(Buffer.from('{"features":[]}'))),
  'an XML exception': exception,
  'a word': 'OK',
  'a sentence': 'The service is temporarily unavailable.',
  'a line of a log': 'ERROR 2026-11-22 connection pool exhausted',
  'an ASCII grid': grid,
  'a CSV with only a header': 'fips,state,county,value\n',
  'a CSV of something else': 'a,b,c\n1,2,3\n4,5,6\n',
  'a CSV with another separator': 'fips;state;value\n08013;CO;1\n',
  'a script': 'window.location = "/login";',
  'a script with an empty list': 'result = [];\n',
}

const documents: Record<string, unknown> = documentsFile

/** JSON that a strict parser refuses, or that is cut off. */
const malformed: Record<string, string> = {
  'half a JSON document': '{"features":[{"attributes":{"OBJECTID":1,',
  'JSON that ends in a list': '{"features":[',
  'a NaN literal': '{"value":NaN,"values":[NaN],"features":NaN}',
  'an Infinity literal': '{"value":Infinity,"count":Infinity}',
  'JSON in single quotes': "{'features':[]}",
  'JSON after a guard': ')]}\',\n{"features":[]}',
  'JSON in a callback': 'callback({"features":[]})',
  'two JSON documents': '{"features":[]}{"features":[]}',
}

const statuses = [
  201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 410, 414,
  418, 421, 429, 451, 500, 501, 502, 503, 504, 520, 599,
]

const json = 'application/json'

/** Everything that a server may answer although it has no answer. */
export const lies: Lie[] = [
  ...Object.entries(texts).map(([name, body]) => ({ name, type: json, body })),
  ...Object.entries(documents).map(([name, value]) => ({ name, type: json, body: JSON.stringify(value) })),
  ...Object.entries(malformed).map(([name, body]) => ({ name, type: json, body })),
  ...statuses.map((status) => ({ name: `status ${status}`, status, type: 'text/plain', body: '' })),
  ...statuses
    .filter((status) => status >= 400)
    .map((status) => ({ name: `status ${status} with JSON`, status, type: json, body: '{"message":"no"}' })),
]
