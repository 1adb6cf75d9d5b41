import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder } from '../cli/fieldstone.ts'
import { writeInputFiles } from './input-files.ts'
import type { Block } from './documents.ts'

/** The server address in the documents. */
const address = '127.0.0.1:8080'
/** A line that starts a server, with the settings before it. */
const serves = /^(?:\w+=\S+ )*(?=fieldstone serve)/m
const main = join(import.meta.dir, '..', '..', 'src', 'main.ts')

/** The output of the blocks, and the files they wrote. */
export type BlocksResult = { output: string; read(name: string): string; remove(): void }

/**
 * `serving`: a server runs in the same folder. `mirror`: the stand-in for publishers, for blocks that need the network.
 */
export type BlockEnvironment = { serving?: boolean; mirror?: string }

/**
 * Runs the blocks under one heading, in their order, in an empty folder with `fieldstone` in the PATH.
 *
 * @throws when a block does not exit with 0.
 */
export async function runBlocks(blocks: Block[], { serving = false, mirror }: BlockEnvironment): Promise<BlocksResult> {
  const { folder, remove } = newFolder()
  const home = join(folder, 'here')
  mkdirSync(home)
  const env: Record<string, string> = {
    PATH: `${binIn(folder)}:${process.env.PATH}`,
    HOME: folder,
    FIELDSTONE_PORT: '0',
    ...(mirror === undefined ? { FIELDSTONE_OFFLINE: '1' } : { FIELDSTONE_MIRROR: mirror }),
  }
  const place = { home, env }
  const server = serving ? await serve('fieldstone serve', place) : null
  if (server) {
    env.TOKEN = server.token
    await waitForReserveFile(home)
  }
  let output = ''
  try {
    for (const { document, text, line } of blocks) {
      writeInputFiles(home, text)
      const written = server ? text.replaceAll(address, server.address) : text
      if (written.includes(address)) throw new Error(`${document}:${line} needs a server, and none is running.`)
      output += serves.test(written)
        ? await serveOnce(written, place)
        : await runScript(written, `${document}:${line}`, place)
    }
  } finally {
    await server?.stop()
  }
  return { output, read: (name) => readFileSync(join(home, name), 'utf8'), remove }
}

/** The server writes its reserve file soon after it starts. */
async function waitForReserveFile(home: string): Promise<void> {
  while (!existsSync(join(home, 'data', 'reserve_file'))) await Bun.sleep(20)
}

/** Returns the first line that `fieldstone` prints for one line on its standard input. */
export async function firstLineFrom(args: string[], line: string, folder: string): Promise<string> {
  const child = Bun.spawn([join(binIn(folder), 'fieldstone'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH!, HOME: folder, FIELDSTONE_OFFLINE: '1' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  void child.stdin.write(`${line}\n`)
  await child.stdin.end()
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  if (out === '') throw new Error(`fieldstone printed nothing on standard output: ${err}`)
  return out.split('\n')[0]!
}

type Place = { home: string; env: Record<string, string> }

/** Creates a folder with `fieldstone`: the executable that FIELDSTONE_EXECUTABLE names, or the source. */
function binIn(folder: string): string {
  const bin = join(folder, 'bin')
  const file = join(bin, 'fieldstone')
  mkdirSync(bin)
  if (process.env.FIELDSTONE_EXECUTABLE) symlinkSync(resolve(process.env.FIELDSTONE_EXECUTABLE), file)
  else {
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' --no-env-file '${main}' "$@"\n`)
    chmodSync(file, 0o755)
  }
  return bin
}

async function runScript(text: string, position: string, { home, env }: Place): Promise<string> {
  const child = Bun.spawn(['sh', '-e', '-u', '-c', text], { cwd: home, env, stdout: 'pipe', stderr: 'pipe' })
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  if (code !== 0) throw new Error(`${position} exited with ${code}:\n${text}\n${out}${err}`)
  return out + err
}

/** Starts the server of a block and stops it as soon as it answers. */
async function serveOnce(text: string, place: Place): Promise<string> {
  const server = await serve(text, place)
  const answer = await fetch(`http://${server.address}/readyz`)
  return `${await answer.text()}${await server.stop()}`
}

async function serve(text: string, { home, env }: Place) {
  const child = Bun.spawn(['sh', '-c', text.replace(serves, (settings) => `${settings}exec `)], {
    cwd: home,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const err = child.stderr.text()
  let out = ''
  const started = Promise.withResolvers<RegExpExecArray>()
  const outputRead = (async () => {
    for await (const piece of child.stdout) {
      out += new TextDecoder().decode(piece)
      const found = /http:\/\/(\S+?)[\s)][^]*(fst_pat_\w{36})/.exec(out)
      if (found) started.resolve(found)
    }
    started.reject(new Error(`The server ended without an address and a token:\n${text}\n${out}${await err}`))
  })()
  const [, at, token] = await started.promise
  return {
    address: at!,
    token: token!,
    async stop(): Promise<string> {
      child.kill('SIGINT')
      await outputRead
      const code = await child.exited
      if (code !== 0) throw new Error(`The server exited with ${code}:\n${text}\n${out}${await err}`)
      return out + (await err)
    },
  }
}
