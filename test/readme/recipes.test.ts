import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHttpService } from '../support/http-service.ts'
import { blocks } from './documents.ts'
import { hasPythonModules, python } from '../support/python.ts'

const root = join(import.meta.dir, '..', '..')
const address = 'http://127.0.0.1:8080'
const testMax_ms = 120_000
const folder = mkdtempSync(join(tmpdir(), 'fieldstone-recipes-'))
const service = await openHttpService()
/** How many of the next requests the server rejects because it is busy. */
let rejections = 0
const server = Bun.serve({
  port: 0,
  fetch: (request) =>
    rejections-- > 0
      ? new Response(null, { status: 503, headers: { 'retry-after': '0' } })
      : service.testService.send(new URL(request.url).pathname + new URL(request.url).search, {
          method: request.method,
          headers: Object.fromEntries(request.headers),
          ...(request.body && { body: request.body }),
        }),
})
afterAll(async () => {
  await server.stop(true)
  await service.close()
  rmSync(folder, { recursive: true })
})

/** The block of the guide that contains a text, with the address of the server. */
function recipeWith(text: string): string {
  const found = blocks.filter((block) => block.document === 'connect' && block.text.includes(text))
  expect(found).toHaveLength(1)
  return found[0]!.text.replaceAll(address, `http://127.0.0.1:${server.port}`)
}

async function run(command: string[]): Promise<string> {
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`
  const env = { ...process.env, PATH: path, TOKEN: service.testService.token }
  const child = Bun.spawn(command, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${out}${err}`)
  return out
}

type Operation = {
  operationId: string
  parameters?: { name: string; in: string }[]
  responses: Record<string, unknown>
}
const operations = Object.entries(service.document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, operation: operation as unknown as Operation })),
)

/** What a generator of typed clients needs beyond a valid document. */
describe('The OpenAPI document is clean for generators', () => {
  test('Operation ids are names in every language, also if the case is ignored', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids.filter((id) => !/^[a-z][a-z0-9_]*$/.test(id))).toEqual([])
    expect(new Set(ids.map((id) => id.replaceAll('_', ''))).size).toBe(ids.length)
  })

  test('The parameters of a path are those in its braces', () => {
    for (const { path, operation } of operations) {
      const declared = (operation.parameters ?? []).filter((it) => it.in === 'path').map(({ name }) => name)
      expect([path, declared]).toEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)])
    }
  })

  test('Every schema says what it is, and every reference leads to a schema', () => {
    const text = JSON.stringify(service.document)
    expect(text).not.toContain('patternProperties')
    expect([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)).toEqual([])
    for (const { path, operation } of operations) expect([path, faultsIn(operation.responses)]).toEqual([path, []])
  })
})

/** The schemas in a response that a generator would have to guess: lists without items. */
function faultsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(faultsIn)
  if (typeof value !== 'object' || value === null) return []
  const { type } = value as { type?: unknown }
  const isList = type === 'array' && !('items' in value) && !('prefixItems' in value)
  return [...(isList ? [value] : []), ...Object.values(value).flatMap(faultsIn)]
}

/** Runs a shell block of the guide. The packages of the project take the place of those that npx downloads. */
async function runBlock(text: string): Promise<void> {
  await run(['sh', '-euc', recipeWith(text).replaceAll('npx ', '')])
}

test(
  'The TypeScript types of the guide are generated, and its example compiles and runs',
  async () => {
    await runBlock('npx openapi-typescript')
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
    symlinkSync(join(root, 'node_modules', '@types', 'bun'), join(folder, 'node_modules', '@types', 'bun'))
    const example = recipeWith("from './fieldstone.ts'")
    expect(example.trim().split('\n')).toHaveLength(5)
    writeFileSync(join(folder, 'client.ts'), `${example}\nexport {}\n`)
    const options = ['--strict', '--target', 'esnext', '--module', 'esnext', '--moduleResolution', 'bundler']
    const flags = [...options, '--allowImportingTsExtensions', '--noEmit', '--skipLibCheck', '--types', 'bun']
    await run(['tsc', ...flags, 'client.ts'])
    expect(await run([process.execPath, 'client.ts'])).toBe('Denver County\n')
  },
  testMax_ms,
)

const hasPython = Bun.which('python3') !== null && Bun.which('curl') !== null
test.skipIf(!hasPython)(
  'The Python classes of the guide are generated, and its example reads an answer (skipped without python3 and curl)',
  async () => {
    await runBlock('npx quicktype')
    const example = recipeWith('import fieldstone')
    expect(example.trim().split('\n')).toHaveLength(5)
    writeFileSync(join(folder, 'client.py'), example)
    expect(await run(['python3', 'client.py'])).toBe('Denver County\n')
  },
  testMax_ms,
)

const hasPandas = hasPythonModules('pandas', 'requests')
test.skipIf(!hasPandas)(
  'The pandas recipe answers 1,000 rows and repeats rejected requests (skipped without pandas and requests)',
  async () => {
    const rows = Array.from({ length: 1_000 }, (_, i) =>
      i === 500 ? `site ${i},0,0` : `site ${i},${37 + i / 500},-105`,
    )
    writeFileSync(join(folder, 'sites.csv'), ['name,lat,lng', ...rows, ''].join('\n'))
    writeFileSync(join(folder, 'table.py'), recipeWith('import os, pandas'))
    rejections = 3
    await run([python, 'table.py'])
    const lines = readFileSync(join(folder, 'sites.fields.csv'), 'utf8').trimEnd().split('\n')
    expect(lines[0]).toBe('name,lat,lng,county,timezone,failed_fields,error')
    expect(lines).toHaveLength(1_001)
    expect(lines[1]).toMatch(/^site 0,37\.0,-105,[^,]+ County,America\/Denver,,$/)
    expect(lines[501]).toBe('site 500,0.0,0,,,,coord_out_of_bounds')
    expect(lines.filter((line) => line.includes('America/Denver'))).toHaveLength(999)
  },
  testMax_ms,
)
