import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { shapeTextOf } from '../../areas/shape/shape-text.ts'
import { isRecord } from '../../model/record.ts'
import { parcelAccuracies, type GeocodeAnswer } from '../../place/geocode-outcome.ts'
import { readGeometryOfFile } from './area-request.ts'
import { parseServerFlag, requireOutFolder, type CommandFlags } from '../command-args.ts'
import { withCommandHints } from '../command-hints.ts'
import { exitCodes } from '../exit-codes.ts'
import { locationOfFlags } from './location-flags.ts'
import { openQuestionBackend, type QuestionBackend, type QuestionDeps } from './question-backend.ts'
import { unitsOfFlag } from './question.ts'
import { UsageError } from '../usage-error.ts'

type Output = {
  print(line: string): void
  printError(line: string): void
  env: Readonly<Record<string, string | undefined>>
}

/**
 * `fieldstone report`: writes the report of a place as one HTML file, as PDF, or to standard output. Returns the exit
 * code.
 */
export async function reportCommand(flags: CommandFlags, deps: QuestionDeps, output: Output): Promise<number> {
  requireOutFolder(flags)
  const browser = flags.pdf === undefined ? null : requireChromium(output.env)
  const query = await reportQueryOf(flags)
  const backend = await openQuestionBackend(flags, deps)
  try {
    const response = await requestReport(query, flags, { ...output, backend })
    const text = await response.text()
    if (!response.ok) {
      output.printError(errorTextOf(withCommandHints(text, parseServerFlag(flags))))
      return exitCodes.failure
    }
    if (typeof flags.out === 'string') writeFileSync(flags.out, text)
    if (typeof flags.pdf === 'string' && browser) await printToPdf(text, resolve(flags.pdf), browser)
    for (const file of [flags.out, flags.pdf]) if (typeof file === 'string') output.printError(`Wrote ${file}`)
    if (flags.out === undefined && flags.pdf === undefined) output.print(text)
    return exitCodes.ok
  } finally {
    await backend.close()
  }
}

/**
 * Gets the report. Finds the address of --address first, which must not be part of a URL; an address that is not found
 * is the response.
 */
async function requestReport(
  query: URLSearchParams,
  { address }: CommandFlags,
  { backend, printError }: Pick<Output, 'printError'> & { backend: QuestionBackend },
): Promise<Response> {
  if (address !== undefined) {
    const response = await backend.post('/v1/geocode', { address })
    if (!response.ok) return response
    const { lat, lng, normalized_address, accuracy_type, warnings } = (await response.json()) as GeocodeAnswer
    printError(`Location: ${normalized_address} (${accuracy_type})`)
    for (const warning of warnings) printError(`Warning: ${warning}`)
    if (!parcelAccuracies.has(accuracy_type) && /\bparcel_/.test(query.get('fields') ?? ''))
      throw new UsageError(
        `The accuracy of the address is ${accuracy_type}, which does not identify a parcel. Use --at, or remove the parcel fields.`,
      )
    query.set('at', `${lat},${lng}`)
  }
  return backend.get(`/report?${query.toString()}`)
}

/** Returns the query of the report. With --address, it has no place yet. @throws {UsageError} */
async function reportQueryOf(flags: CommandFlags): Promise<URLSearchParams> {
  const query = new URLSearchParams()
  if (typeof flags.shape === 'string') query.set('shape', await shapeTextOfFlag(flags.shape))
  if (query.has('shape') && (flags.at !== undefined || flags.address !== undefined))
    throw new UsageError('A report is about a location or about an area. Use one of --at, --address and --shape.')
  const location = query.has('shape') ? null : locationOfFlags(flags)
  if (location && !('address' in location)) query.set('at', pointText(location))
  if (flags.vs !== undefined) query.set('vs', pointText(locationOfFlags({ at: flags.vs })))
  for (const name of ['preset', 'fields', 'name'] as const) {
    const value = flags[name]
    if (typeof value === 'string') query.set(name, value)
  }
  const { units } = unitsOfFlag(flags)
  if (units) query.set('units', units)
  return query
}

/** An area as the URL of the Areas page has it, also of a file with one shape. @throws {UsageError} */
async function shapeTextOfFlag(shape: string): Promise<string> {
  const isFile = existsSync(shape) || /\.[a-z]+$/i.test(shape)
  return isFile ? shapeTextOf({ geometry: await readGeometryOfFile(shape) }) : shape
}

function pointText({ lat, lng }: Record<string, unknown>): string {
  return `${String(lat)},${String(lng)}`
}

function errorTextOf(text: string): string {
  const { detail } = JSON.parse(text) as { detail?: unknown }
  if (isRecord(detail)) return String(detail.message)
  return Array.isArray(detail) ? detail.map((it: { msg: string }) => it.msg).join(' ') : text
}

/** The browsers that can print to PDF, by the names of their programs. */
const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']
const pdfTimeout_ms = 60_000

function requireChromium(env: Output['env']): string {
  const path = browsers.map((name) => Bun.which(name, { PATH: env.PATH ?? '' })).find((found) => found !== null)
  if (path) return path
  throw new UsageError(
    `--pdf needs Chromium or Chrome, and the PATH has none of ${browsers.join(', ')}. Use --out <file.html>, and print the file from a browser.`,
  )
}

/** Prints a document to a PDF file. It has no scripts and loads nothing. */
async function printToPdf(document: string, file: string, browser: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-report-'))
  try {
    const page = join(folder, 'report.html')
    writeFileSync(page, document, { mode: 0o600 })
    // Chromium refuses to run as root with its sandbox.
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    const options = [
      '--headless',
      '--disable-gpu',
      `--user-data-dir=${join(folder, 'profile')}`,
      '--no-pdf-header-footer',
    ]
    const child = Bun.spawn([browser, ...sandbox, ...options, `--print-to-pdf=${file}`, pathToFileURL(page).href], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: pdfTimeout_ms,
    })
    const [code, messages] = await Promise.all([child.exited, new Response(child.stderr).text()])
    if (code !== 0) throw new Error(`${browser} could not write ${file}: ${messages.trim().slice(-500)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
