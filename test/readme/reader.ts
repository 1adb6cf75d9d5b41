import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder } from '../cli/fieldstone.ts'
import { provide } from './provisions.ts'
import type { Block } from './readme.ts'

/** Where the README says that the server is. */
const address = '127.0.0.1:8080'
/** A line that serves, with settings before it. */
const serves = /^(?:\w+=\S+ )*(?=fieldstone serve)/m
const main = join(import.meta.dir, '..', '..', 'src', 'main.ts')

/** What came of it: everything that was said, and the files that were made. */
export type Tried = { said: string; read(name: string): string; remove(): void }

/** `serving`: a server stands by in the same folder. `mirror`: the world outside, where the text asks for it. */
export type Around = { serving?: boolean; mirror?: string }

/** Tries the blocks under one heading, in their order, in an empty folder with `fieldstone` on the path; throws when one does not end with 0. */
export async function tryBlocks(blocks: Block[], { serving = false, mirror }: Around): Promise<Tried> {
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
    await hasSettled(home)
  }
  let said = ''
  try {
    for (const { text, line } of blocks) {
      provide(home, text)
      const written = server ? text.replaceAll(address, server.address) : text
      if (written.includes(address)) throw new Error(`README.md:${line} asks a server, and none stands by.`)
      said += serves.test(written) ? await servedOnce(written, place) : await ran(written, line, place)
    }
  } finally {
    await server?.stop()
  }
  return { said, read: (name) => readFileSync(join(home, name), 'utf8'), remove }
}

/** A server has laid its ballast soon after it answers. */
async function hasSettled(home: string): Promise<void> {
  while (!existsSync(join(home, 'data', 'reserve_file'))) await Bun.sleep(20)
}

/** The first line that `fieldstone` with these words answers to a line on its standard input, in a folder. */
export async function answered(words: string[], line: string, folder: string): Promise<string> {
  const child = Bun.spawn([join(binIn(folder), 'fieldstone'), ...words], {
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
  if (out === '') throw new Error(`It said nothing: ${err}`)
  return out.split('\n')[0]!
}

type Place = { home: string; env: Record<string, string> }

/** A folder with `fieldstone`: the executable when FIELDSTONE_EXECUTABLE names one, else the source. */
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

async function ran(text: string, line: number, { home, env }: Place): Promise<string> {
  const child = Bun.spawn(['sh', '-e', '-u', '-c', text], { cwd: home, env, stdout: 'pipe', stderr: 'pipe' })
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  if (code !== 0) throw new Error(`README.md:${line} ended with ${code}:\n${text}\n${out}${err}`)
  return out + err
}

/** A block that serves: it is stopped as soon as it answers. */
async function servedOnce(text: string, place: Place): Promise<string> {
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
  const welcome = Promise.withResolvers<RegExpExecArray>()
  const heard = (async () => {
    for await (const piece of child.stdout) {
      out += new TextDecoder().decode(piece)
      const found = /answers at http:\/\/(\S+)[^]*shown only once: (\S+)\n/.exec(out)
      if (found) welcome.resolve(found)
    }
    welcome.reject(new Error(`It ended without an address and a token:\n${text}\n${out}${await err}`))
  })()
  const [, at, token] = await welcome.promise
  return {
    address: at!,
    token: token!,
    async stop(): Promise<string> {
      child.kill('SIGTERM')
      await heard
      const code = await child.exited
      if (code !== 0) throw new Error(`It ended with ${code}:\n${text}\n${out}${await err}`)
      return out + (await err)
    },
  }
}
