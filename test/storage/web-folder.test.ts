import { beforeEach, describe, expect, jest, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHttpClient } from '../../src/net/http-client.ts'
import { openWebFolder } from '../../src/storage/web-folder.ts'
import { freePort } from '../support/free-port.ts'
import { fieldsAt, heightPack, openStorageService, syncPacks, wetlandPack } from '../support/stored-packs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const budget = { signal: new AbortController().signal }
const client = (host: string) =>
  openHttpClient({
    mirror: null,
    operatorHosts: new Set([host]),
    userAgent: 'test',
    catalogHosts: new Set(),
    now: () => new Date(),
    random: Math.random,
  })

/** A web server that answers every path with one response. */
async function listOf(respond: (path: string) => Response): Promise<unknown> {
  const server = Bun.serve({ port: 0, fetch: (request) => respond(new URL(request.url).pathname) })
  const host = `127.0.0.1:${server.port}`
  const net = client(host)
  try {
    const files = await openWebFolder({ kind: 'web', url: `http://${host}/packs/` }, net).list(budget)
    return files.map(({ name, size_bytes }) => `${name} ${size_bytes}`)
  } catch (error) {
    return (error as Error).message.replaceAll(host, 'host')
  } finally {
    net.close()
    await server.stop(true)
  }
}
const html = (text: string) => new Response(text, { headers: { 'content-type': 'text/html' } })
const file = (headers: Record<string, string> = { etag: '"1"' }) =>
  new Response('x', { status: 206, headers: { ...headers, 'content-range': 'bytes 0-0/7' } })

describe('the index of a web folder', () => {
  test('lists the files of packs, and leaves out links to other places', async () => {
    const index =
      '<html><body><a href="../">..</a><a href="a.gpkg">a</a><a href="/b.gpkg">b</a><a href="c%20d.tif">c</a><a href="https://x.example/e.tif">e</a><a href="f.json">f</a><a href="?C=N">n</a><a href="readme.txt">r</a></body></html>'
    expect(await listOf((path) => (path === '/packs/' ? html(index) : file()))).toEqual(['a.gpkg 7', 'f.json 7'])
  })

  test('can have absolute links', async () => {
    const answers: Record<string, () => Response> = {
      '/packs/': () => html('<a href="/packs/parts/">p</a><a href="/packs/a.tif">a</a><a href="/x/b.tif">b</a></html>'),
      '/packs/parts/': () => html('<a href="/packs/">up</a><a href="/packs/parts/08013.gpkg">a</a></html>'),
    }
    expect(await listOf((path) => answers[path]?.() ?? file())).toEqual(['a.tif 7', 'parts/08013.gpkg 7'])
  })

  test('in the JSON of nginx lists files and the parts in folders', async () => {
    const list = (entries: object[]) => Response.json(entries)
    const answers: Record<string, Response> = {
      '/packs/': list([
        { name: 'a.tif', type: 'file' },
        { name: 'parts', type: 'directory' },
      ]),
      '/packs/parts/': list([{ name: '08013.gpkg', type: 'file' }]),
    }
    expect(await listOf((path) => answers[path] ?? file())).toEqual(['a.tif 7', 'parts/08013.gpkg 7'])
  })

  const problems: Record<string, [respond: (path: string) => Response, message: string]> = {
    'that ends early': [() => html('<html><body><a href="a.gpkg">a</a><a hr'), 'no index of the folder'],
    'that is no index': [() => new Response('hello', { headers: { 'content-type': 'text/plain' } }), 'no index'],
    'that is an error document': [() => Response.json({ error: 'x' }), 'no index of the folder'],
    'that is missing': [() => new Response('', { status: 404 }), 'returned status 404'],
    'that names a missing file': [
      (path) => (path === '/packs/' ? html('<a href="a.gpkg">a</a></html>') : new Response('', { status: 404 })),
      'returned status 404',
    ],
    'of a folder of parts that is another page': [
      (path) =>
        path === '/packs/'
          ? html('<a href="a.gpkg">a</a><a href="parts/">p</a></html>')
          : path === '/packs/parts/'
            ? html('<html><body><a href="/login">Log in</a></body></html>')
            : file(),
      'packs/parts/ names no pack files',
    ],
    'of a server without ETag and Last-Modified': [
      (path) => (path === '/packs/' ? html('<a href="a.gpkg">a</a></html>') : file({})),
      'does not state the size and the ETag or Last-Modified of a.gpkg',
    ],
  }
  for (const [name, [respond, message]] of Object.entries(problems))
    test(`${name} is an error, and not an empty folder`, async () => expect(await listOf(respond)).toContain(message))
})

test('a list from a server that never finishes its response ends with an error', async () => {
  const begun = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    fetch() {
      begun.resolve()
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('<html>')) }))
    },
  })
  const host = `127.0.0.1:${server.port}`
  const net = client(host)
  jest.useFakeTimers()
  try {
    const ended = openWebFolder({ kind: 'web', url: `http://${host}/packs/` }, net)
      .list(budget)
      .catch((error: Error) => error.message)
    await begun.promise
    jest.advanceTimersByTime(20_000)
    expect(await ended).toBe('There was no answer within 20 s.')
  } finally {
    jest.useRealTimers()
    net.close()
    await server.stop(true)
  }
})

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
if (!nginx) console.error('nginx is not installed: the test of packs on a real web server is skipped.')

/** Starts nginx with the folder, and an index in the given format. */
async function startNginx(format: 'html' | 'json'): Promise<{ url: string; stop(): Promise<void> }> {
  const port = freePort()
  const config = join(folder, `nginx-${format}.conf`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((it) => `${it}_temp_path ${folder}/tmp-${it};`)
  writeFileSync(
    config,
    `pid ${folder}/nginx-${format}.pid; error_log ${folder}/error.log; daemon off; master_process off; worker_processes 1;
     events {} http { access_log off; ${paths.join(' ')}
     server { listen 127.0.0.1:${port}; root ${folder}/www; autoindex on; autoindex_format ${format}; } }`,
  )
  const child = Bun.spawn([nginx!, '-c', config, '-p', folder], { stdout: 'ignore', stderr: 'ignore' })
  const url = `http://127.0.0.1:${port}/packs/`
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    await Bun.sleep(20)
  }
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

describe.skipIf(!nginx)('packs in a folder of nginx', () => {
  const packs = join(folder, 'www', 'packs')
  let modified_s = 1_700_000_000
  const replace = (name: string, content: Uint8Array | string) => {
    writeFileSync(join(folder, 'next'), content)
    // The ETag of nginx has the second of the last change.
    utimesSync(join(folder, 'next'), ++modified_s, modified_s)
    renameSync(join(folder, 'next'), join(packs, name))
  }
  beforeEach(() => {
    rmSync(packs, { recursive: true, force: true })
    mkdirSync(packs, { recursive: true })
  })

  for (const format of ['html', 'json'] as const)
    test(`answer fields and are replaced, with an index in ${format}`, async () => {
      replace('usfws_nwi.gpkg', wetlandPack('Lake'))
      replace('usgs_3dep_13.tif', heightPack(1500))
      const server = await startNginx(format)
      const service = openStorageService({ FIELDSTONE_PACKS: server.url })
      try {
        await syncPacks(service)
        const before = await fieldsAt(service, ['nwi_wetland_type', 'elevation'])
        expect([before.nwi_wetland_type!.value, before.elevation!.value]).toEqual(['Lake', 1500])
        replace('usfws_nwi.gpkg', wetlandPack('Freshwater Pond'))
        replace('usgs_3dep_13.tif', Buffer.concat([heightPack(2500), Buffer.alloc(1)]))
        await syncPacks(service)
        const after = await fieldsAt(service, ['nwi_wetland_type', 'elevation'])
        expect([after.nwi_wetland_type!.value, after.elevation!.value]).toEqual(['Freshwater Pond', 2500])
      } finally {
        await service.close()
        await server.stop()
      }
    })
})
