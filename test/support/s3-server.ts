import { createHash, createHmac } from 'node:crypto'

/** What a test makes the server do wrong. */
export type S3Fault =
  | { kind: 'status'; status: number; code: string }
  | { kind: 'hang' }
  | { kind: 'truncate' }
  | { kind: 'ignore_range' }
  /** Runs before the answer, for example to replace the object. */
  | { kind: 'before'; run: () => void }

type S3Request = { method: string; key: string; isList: boolean; range: string | null; status: number }

/** A small S3 server in memory. It checks signatures in the header and in the query. */
export type S3Server = {
  endpoint: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  objects: Map<string, Uint8Array>
  /** All requests, in order. */
  requests: S3Request[]
  /** Decides what goes wrong with a request; null: nothing. */
  faultOf: (request: Pick<S3Request, 'method' | 'key' | 'isList' | 'range'>) => S3Fault | null
  put(key: string, content: Uint8Array | string): void
  /** The AWS variables of a client. */
  environment: Record<string, string>
  close(): Promise<void>
}

const region = 'us-west-2'

/** Starts the server on a free port. `etagOf` replaces the MD5 of the content. */
export function startS3Server({ etagOf = md5TagOf }: { etagOf?: (bytes: Uint8Array) => string } = {}): S3Server {
  const bucket = 'gis-packs'
  const accessKeyId = 'test:reader'
  const secretAccessKey = 'a-secret-that-nobody-may-see'
  const parts = new Map<string, Map<number, Uint8Array>>()
  const http = Bun.serve({ port: 0, idleTimeout: 0, fetch: answer })
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${http.port}`,
    bucket,
    accessKeyId,
    secretAccessKey,
    objects: new Map(),
    requests: [],
    faultOf: () => null,
    put: (key, content) => server.objects.set(key, typeof content === 'string' ? Buffer.from(content) : content),
    environment: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${http.port}`,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    close: () => http.stop(true),
  }
  return server

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const path = decodeURIComponent(url.pathname)
    const isList = url.searchParams.has('list-type')
    const key = path.slice(bucket.length + 2)
    const record = { method: request.method, key, isList, range: request.headers.get('range'), status: 0 }
    server.requests.push(record)
    const response = await respond(request, url, record)
    record.status = response.status
    return response
  }

  async function respond(request: Request, url: URL, record: S3Request): Promise<Response> {
    const signatureProblem = problemOfSignature(request, url, { accessKeyId, secretAccessKey })
    if (signatureProblem !== null) return errorResponse(403, signatureProblem)
    if (!url.pathname.startsWith(`/${bucket}/`) && url.pathname !== `/${bucket}`)
      return errorResponse(404, 'NoSuchBucket')
    const fault = server.faultOf(record)
    if (fault?.kind === 'before') fault.run()
    if (fault?.kind === 'hang') await new Promise(() => {})
    if (fault?.kind === 'status') return errorResponse(fault.status, fault.code)
    if (record.isList) return listResponse(url.searchParams, fault)
    const multipart = await answerMultipart(request, url, record.key)
    if (multipart) return multipart
    if (request.method === 'PUT') {
      server.put(record.key, await request.bytes())
      return new Response(null, { headers: { etag: etagOf(server.objects.get(record.key)!) } })
    }
    if (request.method === 'DELETE') {
      server.objects.delete(record.key)
      return new Response(null, { status: 204 })
    }
    return objectResponse(request, url, { key: record.key, fault })
  }

  /** Answers the requests of an upload in parts; null for all other requests. */
  async function answerMultipart(request: Request, url: URL, key: string): Promise<Response | null> {
    if (request.method === 'POST' && url.searchParams.has('uploads')) {
      parts.set(key, new Map())
      return xml(`<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>`)
    }
    const uploaded = parts.get(key)
    if (!uploaded || !url.searchParams.has('uploadId')) return null
    if (request.method === 'PUT') {
      const bytes = await request.bytes()
      uploaded.set(Number(url.searchParams.get('partNumber')), bytes)
      return new Response(null, { headers: { etag: etagOf(bytes) } })
    }
    const inOrder = [...uploaded].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)
    server.put(key, Buffer.concat(inOrder))
    return xml(`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`)
  }

  function listResponse(query: URLSearchParams, fault: S3Fault | null): Response {
    const prefix = query.get('prefix') ?? ''
    const names = [...server.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted()
    const start = Number(query.get('continuation-token') ?? 0)
    // Two on a page, so that every test reads several pages.
    const page = names.slice(start, start + 2)
    const isTruncated = start + page.length < names.length
    const contents = page.map((key) => {
      const bytes = server.objects.get(key)!
      return `<Contents><Key>${key}</Key><ETag>${etagOf(bytes).replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size></Contents>`
    })
    const next = isTruncated ? `<NextContinuationToken>${start + page.length}</NextContinuationToken>` : ''
    const text = `<ListBucketResult><Name>${bucket}</Name><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`
    return xml(fault?.kind === 'truncate' ? text.slice(0, -30) : text)
  }

  function objectResponse(
    request: Request,
    url: URL,
    { key, fault }: { key: string; fault: S3Fault | null },
  ): Response {
    const bytes = server.objects.get(key)
    if (!bytes) return errorResponse(404, 'NoSuchKey')
    const etag = etagOf(bytes)
    const ifMatch = request.headers.get('if-match')
    if (ifMatch !== null && ifMatch !== etag) return errorResponse(412, 'PreconditionFailed')
    const disposition = url.searchParams.get('response-content-disposition')
    const type = url.searchParams.get('response-content-type')
    const headers = {
      etag,
      ...(disposition !== null && { 'content-disposition': disposition }),
      ...(type !== null && { 'content-type': type }),
    }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
    if (from === undefined || fault?.kind === 'ignore_range') return new Response(bytes, { headers })
    if (Number(from) >= bytes.length) return errorResponse(416, 'InvalidRange')
    const end = Math.min(Number(to), bytes.length - 1)
    const range = bytes.subarray(Number(from), end + 1)
    const sent = fault?.kind === 'truncate' ? range.subarray(0, range.length - 1) : range
    return new Response(sent, {
      status: 206,
      headers: { ...headers, 'content-range': `bytes ${from}-${end}/${bytes.length}` },
    })
  }
}

/** The ETag of an object: the MD5 of its content, as in S3. */
function md5TagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function xml(text: string, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { 'content-type': 'application/xml' },
  })
}

function errorResponse(status: number, code: string): Response {
  // The real service repeats the key in its message.
  return xml(`<Error><Code>${code}</Code><Message>AWSAccessKeyId test:reader, ${code}</Message></Error>`, status)
}

type Keys = { accessKeyId: string; secretAccessKey: string }

/** The code of the error of a wrong signature (Signature Version 4), computed from the documentation of AWS. */
function problemOfSignature(request: Request, url: URL, keys: Keys): string | null {
  const authorization = request.headers.get('authorization')
  const signed = authorization === null ? signedByQuery(url) : signedByHeader(authorization, request.headers)
  if (signed === null) return 'AccessDenied'
  const [accessKeyId, date, inRegion, service] = signed.credential.split('/')
  if (accessKeyId !== keys.accessKeyId) return 'InvalidAccessKeyId'
  if (inRegion !== region || service !== 's3') return 'AuthorizationHeaderMalformed'
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
  const headers = signed.headers.map((name) => `${name}:${request.headers.get(name)!.trim()}\n`)
  const path = url.pathname.split('/').map((part) => encode(decodeURIComponent(part)))
  const canonical = [
    request.method,
    path.join('/'),
    query.join('&'),
    headers.join(''),
    signed.headers.join(';'),
    signed.hash,
  ]
  const scope = `${date}/${inRegion}/s3/aws4_request`
  const toSign = [
    'AWS4-HMAC-SHA256',
    signed.time,
    scope,
    createHash('sha256').update(canonical.join('\n')).digest('hex'),
  ]
  const key = [date!, inRegion, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, text) => createHmac('sha256', secret).update(text).digest(),
    `AWS4${keys.secretAccessKey}`,
  )
  const signature = createHmac('sha256', key).update(toSign.join('\n')).digest('hex')
  return signature === signed.signature ? null : 'SignatureDoesNotMatch'
}

type Signed = { credential: string; headers: string[]; signature: string; time: string; hash: string }

function signedByHeader(authorization: string, headers: Headers): Signed | null {
  const found = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(authorization)
  if (!found) return null
  return {
    credential: found[1]!,
    headers: found[2]!.split(';'),
    signature: found[3]!,
    time: headers.get('x-amz-date')!,
    hash: headers.get('x-amz-content-sha256')!,
  }
}

function signedByQuery({ searchParams }: URL): Signed | null {
  const read = (name: string) => searchParams.get(`X-Amz-${name}`) ?? ''
  if (read('Signature') === '') return null
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(read('Date'))!
  const signedAt_ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Date.now() > signedAt_ms + Number(read('Expires')) * 1000) return null
  return {
    credential: read('Credential'),
    headers: read('SignedHeaders').split(';'),
    signature: read('Signature'),
    time: read('Date'),
    hash: 'UNSIGNED-PAYLOAD',
  }
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
