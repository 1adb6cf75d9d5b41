import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeClients } from '../../scripts/clients/write-clients.ts'
import { openHttpService } from '../support/http-service.ts'
import { blocks } from './documents.ts'
import { binIn } from './reader.ts'
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
    const names = Object.keys(service.rawDocument.components.schemas).map((name) => `#/components/schemas/${name}`)
    const references = [...JSON.stringify(service.rawDocument).matchAll(/"\$ref":"([^"]+)"/g)].map(([, it]) => it!)
    expect(references.filter((it) => !names.includes(it))).toEqual([])
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

/** Compiles TypeScript with strict rules, also for members of maps that may be missing. */
function compile(file: string): Promise<string> {
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
  for (const name of ['@types/bun', 'openapi-fetch', 'openapi-typescript-helpers'])
    if (!existsSync(join(folder, 'node_modules', name)))
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const options = ['--strict', '--noUncheckedIndexedAccess', '--target', 'esnext', '--module', 'esnext']
  const flags = ['--moduleResolution', 'bundler', '--allowImportingTsExtensions', '--noEmit', '--skipLibCheck']
  return run(['tsc', ...options, ...flags, '--types', 'bun', file])
}

test(
  'The TypeScript client and its example compile with strict rules, and answer',
  async () => {
    await writeClients(folder)
    writeFileSync(join(folder, 'client.ts'), `${recipeWith("from './fieldstone.ts'")}\nexport {}\n`)
    await compile('client.ts')
    rejections = 2
    expect(await run([process.execPath, 'client.ts'])).toBe('Denver County\nfields_unknown\n')
  },
  testMax_ms,
)

test(
  'The types of openapi-typescript and the calls of openapi-fetch compile with strict rules, and answer',
  async () => {
    // The package of the project takes the place of the one that npx downloads.
    await run(['sh', '-euc', recipeWith('npx openapi-typescript').replaceAll('npx ', '')])
    writeFileSync(join(folder, 'generated.ts'), `${recipeWith("from 'openapi-fetch'")}\nexport {}\n`)
    await compile('generated.ts')
    expect(await run([process.execPath, 'generated.ts'])).toBe('Denver County\n')
  },
  testMax_ms,
)

const hasPython = Bun.spawnSync(['python3', '-c', 'from typing import NotRequired']).exitCode === 0
test.skipIf(!hasPython)(
  'The Python client answers, repeats rejected requests, and raises the code of an error (skipped without Python 3.11)',
  async () => {
    await writeClients(folder)
    writeFileSync(join(folder, 'client.py'), recipeWith('from fieldstone import'))
    rejections = 2
    expect(await run(['python3', 'client.py'])).toBe('Denver County\nfields_unknown\n')
    const more = `
import csv, os
from fieldstone import Fieldstone
client = Fieldstone("http://127.0.0.1:${server.port}", os.environ["TOKEN"])
accepted = client.post_runs("name,lat,lng\\na,39.7392,-104.9903\\n", fields=["county", "timezone"], prefer="wait=20")
run = client.get_runs_run_id(accepted["run_id"], view="summary")
print(run["status"], client.get_runs(limit=1)["items"][0]["run_id"] == accepted["run_id"])
rows = csv.DictReader(client.get_runs_run_id_artifacts_csv(accepted["run_id"]).decode().splitlines())
print(next(rows)["county"])
print(client.get_healthz()["status"], client.get_fetch(lat=39.7392, lng=-104.9903, fields=["county", "timezone"])["fields"]["timezone"]["value"])
`
    writeFileSync(join(folder, 'more.py'), more)
    expect(await run(['python3', 'more.py'])).toBe('done True\nDenver County\nok America/Denver\n')
  },
  testMax_ms,
)

const hasR = Bun.spawnSync(['sh', '-c', 'Rscript -e "library(httr2); library(jsonlite)"']).exitCode === 0
test.skipIf(!hasR)(
  'The R recipe prints a value (skipped without R, httr2 and jsonlite)',
  async () => {
    writeFileSync(join(folder, 'recipe.R'), recipeWith('library(httr2)'))
    expect(await run(['Rscript', 'recipe.R'])).toBe('Denver County \n')
  },
  testMax_ms,
)

test.skipIf(Bun.which('curl') === null)(
  'The function for Google Sheets returns a value, and throws the error of a failed field (skipped without curl)',
  async () => {
    // What Google provides to a script, with curl as the network.
    const google = `
const { execFileSync } = require('node:child_process')
const PropertiesService = { getScriptProperties: () => ({ getProperty: () => process.env.TOKEN }) }
const UrlFetchApp = {
  fetch: (url, { headers }) => ({ getContentText: () => execFileSync('curl', ['-s', url, '-H', 'Authorization: ' + headers.Authorization], { encoding: 'utf8' }) }),
}
console.log(FIELDSTONE(39.7392, -104.9903, 'county'))
try { FIELDSTONE(39.7392, -104.9903, 'elevation') } catch (error) { console.log(error.message) }
`
    writeFileSync(join(folder, 'sheet.cjs'), `${recipeWith('function FIELDSTONE')}${google}`)
    expect(await run([process.execPath, 'sheet.cjs'])).toMatch(/^Denver County\noffline_no_data: /)
  },
  testMax_ms,
)

const places = `name,lat,lng\na,39.7392,-104.9903\nb,39.75,-104.99\nc,25.79,-80.13\n`
const bin = binIn(folder)
async function runSites(format: string): Promise<void> {
  writeFileSync(join(folder, 'sites.csv'), places)
  const out = ['--out', `sites.${format}`]
  await run([join(bin, 'fieldstone'), 'run', 'sites.csv', '--fields', 'county,timezone', ...out])
}

const hasGeopandas = hasPythonModules('geopandas')
test.skipIf(!hasGeopandas)(
  'geopandas reads the GeoPackage of a run (skipped without it)',
  async () => {
    await runSites('gpkg')
    writeFileSync(join(folder, 'geo.py'), recipeWith('import geopandas'))
    expect(await run([python, 'geo.py'])).toMatch(/Denver County +POINT \(-104\.99/)
  },
  testMax_ms,
)

const hasDuckdb = Bun.which('duckdb') !== null || hasPythonModules('duckdb')
test.skipIf(!hasDuckdb)(
  'DuckDB reads the files of a run (skipped without it)',
  async () => {
    await runSites('ndjson')
    await runSites('parquet')
    for (const statement of recipeWith('read_json').trim().split('\n')) {
      const code = `import duckdb, sys; print(duckdb.sql(sys.argv[1]).fetchall())`
      const command = Bun.which('duckdb') ? ['duckdb', '-list', '-c', statement] : [python, '-c', code, statement]
      expect(await run(command)).toMatch(/Denver County.*2[^]*Miami-Dade County.*1/)
    }
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
