import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newFolder, startFieldstone } from './fieldstone.ts'

const throws = 'throw new Error("the folder was run")\n'
/** Files that a Bun or Node program might read from the current folder. */
const hostile: Record<string, string> = {
  '.env':
    'FIELDSTONE_PORT=1\nFIELDSTONE_AUTH=maybe\nFIELDSTONE_OFFLINE=no\nNODE_ENV=development\nBUN_INSPECT=ws://localhost:0/\n',
  '.env.production': 'FIELDSTONE_LOG=loud\n',
  '.env.local': 'FIELDSTONE_QUEUE=-1\n',
  'bunfig.toml': 'preload = ["./hostile.ts"]\n[test]\npreload = ["./hostile.ts"]\n',
  '.npmrc': 'registry=http://localhost:1\n',
  'hostile.ts': throws,
  'package.json':
    '{ "name": "fieldstone", "version": "6.6.6", "type": "commonjs", "main": "./hostile.ts", "imports": { "#*": "./hostile.ts" } }\n',
  'tsconfig.json': '{ "compilerOptions": { "paths": { "*": ["./hostile.ts"] }, "jsxImportSource": "./hostile" } }\n',
  'embedded.bin.zst': 'not data',
  'dist/embedded.bin': 'not data',
  ...Object.fromEntries(
    ['elysia', 'h3-js', 'proj4', 'file-type', 'zod', '@anthropic-ai/sdk'].flatMap((name) => [
      [`node_modules/${name}/package.json`, `{ "name": "${name}", "main": "index.js" }\n`],
      [`node_modules/${name}/index.js`, throws],
    ]),
  ),
}
const question = [
  'fetch',
  '--at',
  '39.7392,-104.9903',
  '--fields',
  'county,timezone,nearest_airport_name,elevation',
  '--data',
]

const folders = [newFolder(), newFolder(), newFolder()] as const
const [empty, misleading, data] = folders
afterAll(() => folders.forEach(({ remove }) => remove()))
for (const [name, text] of Object.entries(hostile)) {
  mkdirSync(dirname(join(misleading.folder, name)), { recursive: true })
  writeFileSync(join(misleading.folder, name), text)
}

test.skipIf(!process.env.FIELDSTONE_EXECUTABLE)(
  'a folder with misleading files changes nothing: same version, same answers, same errors',
  async () => {
    for (const words of [['version', '--json'], ['--help'], ['serve', '--port', 'x'], [...question, data.folder]]) {
      const [there, here] = [
        await startFieldstone(words, {}, empty.folder).end(),
        await startFieldstone(words, {}, misleading.folder).end(),
      ]
      const timeless = (said: { out: string }) => ({
        ...said,
        out: said.out
          .replaceAll(/"fetched_at": "[^"]*"/g, '')
          .replaceAll(/"(latency_ms|cached_at|age_seconds)": [^,\n]*/g, '')
          .replaceAll(/"cache": "\w+"/g, ''),
      })
      expect(timeless(here)).toEqual(timeless(there))
    }
  },
)
