import { join } from 'node:path'
import { newFolder } from '../../test/cli/fieldstone.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { readUntilWord } from '../bench/child.ts'
import { addRows } from './fault-rows.ts'
import { atMost, type Finding } from './finding.ts'
import { startService } from './service-process.ts'

/** An unreachable source: its URL, and the expected result of a field that calls it. */
type Unreachable = { name: string; mirror: string; fate: string; env?: Record<string, string> }

/** Tests connection errors: certificates, host names and ports. Each has its own service. */
export async function testTransport(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const closing: (() => Promise<void> | void)[] = [remove]
  try {
    const rows = [...(await certificateRows(folder, closing)), ...(await portRows(closing))]
    const wrong: string[] = []
    for (const row of rows) {
      const found = await fateOf(row)
      if (found !== row.fate) wrong.push(`${row.name}: ${found} where ${row.fate} was expected`)
    }
    for (const line of wrong) console.error(line)
    return [
      atMost('P20', `errors of certificates, names and ports, of ${rows.length}, with the wrong code`, wrong.length, 0),
    ]
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

async function fateOf({ mirror, env = {} }: Unreachable): Promise<string> {
  const it = await startService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: mirror, ...env }, addRows)
  try {
    const response = await it.post('/v1/fetch', { lat: 39.7, lng: -105, fields: ['row_sound'] })
    const field = ((await response.json()) as FetchAnswer).fields.row_sound!
    return field.status === 'failed'
      ? `${field.error.split(':')[0]}${field.retryable ? ', retryable' : ''}`
      : field.status
  } finally {
    await it.stop()
  }
}

/** Starts servers with certificates of one authority. The service trusts it only if NODE_EXTRA_CA_CERTS names it. */
async function certificateRows(folder: string, closing: (() => Promise<void> | void)[]): Promise<Unreachable[]> {
  const made = Bun.spawn(['bash', '-c', authority], { cwd: folder, stderr: 'pipe', stdout: 'ignore' })
  if ((await made.exited) !== 0) throw new Error(`No certificates: ${await new Response(made.stderr).text()}`)
  const at = (name: string) => {
    const server = Bun.serve({
      port: 0,
      tls: { key: Bun.file(join(folder, 'key.pem')), cert: Bun.file(join(folder, `${name}.pem`)) },
      fetch: () => Response.json({ value: 1 }),
    })
    closing.push(() => server.stop(true))
    return `https://localhost:${server.port}`
  }
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
  const plain = Bun.serve({ port: 0, fetch: () => Response.json({ value: 1 }) })
  closing.push(() => plain.stop(true))
  return [
    { name: 'a valid certificate of a known authority', mirror: at('good'), env, fate: 'ok' },
    { name: 'a certificate of an unknown authority', mirror: at('good'), fate: 'tls_error' },
    { name: 'a self-signed certificate', mirror: at('self'), env, fate: 'tls_error' },
    { name: 'an expired certificate', mirror: at('expired'), env, fate: 'tls_error' },
    { name: 'a certificate of another host', mirror: at('other'), env, fate: 'tls_error' },
    {
      name: 'a port that does not speak TLS',
      mirror: `https://localhost:${plain.port}`,
      fate: 'connection_failed, retryable',
    },
  ]
}

const authority = `set -e
openssl ecparam -name prime256v1 -genkey -noout -out key.pem
openssl ecparam -name prime256v1 -genkey -noout -out ca.key
openssl req -x509 -new -key ca.key -subj /CN=authority -days 2 -out ca.pem
openssl req -x509 -new -key key.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 -out self.pem
mkdir issued && touch index.txt && echo 1000 > serial
cat > ca.cnf <<'CNF'
[ca]
default_ca = it
[it]
new_certs_dir = issued
database = index.txt
serial = serial
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
CNF
issue() {
  openssl req -new -key key.pem -subj "/CN=$2" -addext "subjectAltName=DNS:$2" -out "$1.csr"
  openssl ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.key -in "$1.csr" -out "$1.pem" -startdate "$3" -enddate "$4"
}
issue good localhost 20200101000000Z 20990101000000Z
issue expired localhost 20200101000000Z 20210101000000Z
issue other elsewhere.example 20200101000000Z 20990101000000Z
`

async function portRows(closing: (() => Promise<void> | void)[]): Promise<Unreachable[]> {
  const closed = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port } = closed
  await closed.stop(true)
  return [
    // A label of 64 characters is invalid, so the resolver rejects it without a network call.
    {
      name: 'a name that does not exist',
      mirror: `http://${'a'.repeat(64)}.invalid`,
      fate: 'connection_failed, retryable',
    },
    { name: 'a closed port', mirror: `http://127.0.0.1:${port}`, fate: 'connection_failed, retryable' },
    { name: 'a port whose packets are dropped', mirror: await dropping(closing), fate: 'timeout, retryable' },
  ]
}

/**
 * Returns the URL of a port that drops packets, without a firewall: the listening process is stopped and its backlog is
 * full.
 */
async function dropping(closing: (() => Promise<void> | void)[]): Promise<string> {
  const child = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      '-e',
      'require("net").createServer().listen({ host: "127.0.0.1", port: 0, backlog: 1 }, function () { console.log(this.address().port) })',
    ],
    { stdout: 'pipe' },
  )
  closing.push(() => child.kill('SIGKILL'))
  const port = Number(await readUntilWord(child.stdout, '\n'))
  child.kill('SIGSTOP')
  for (let isFull = false; !isFull;) {
    const socket = Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } })
    isFull = await Promise.race([socket.then(() => false), Bun.sleep(500).then(() => true)])
    closing.push(
      () =>
        void socket.then(
          (it) => it.terminate(),
          () => {},
        ),
    )
  }
  return `http://127.0.0.1:${port}`
}
