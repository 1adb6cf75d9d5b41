import type { Properties } from '../../src/model/source.ts'
import type { ColumnArrays } from '../../src/packs/layer/layer-columns.ts'

/** Lays out rows that have the same columns. @throws Error if a column has both texts and numbers. */
export function layOutColumns(names: readonly string[], rows: readonly Properties[]): ColumnArrays[] {
  return names.map((name) => {
    const values = rows.map((row) => row[name] ?? null)
    if (values.every((value) => value === null || typeof value === 'number'))
      return { name, values: Float64Array.from(values, (value) => value ?? NaN) }
    if (values.every((value) => value === null || typeof value === 'string')) return { name, ...layOutTexts(values) }
    throw new Error(`The column ${name} has values of different types.`)
  })
}

function layOutTexts(values: readonly (string | null)[]) {
  const codesByText = new Map<string, number>()
  for (const text of values) if (text !== null && !codesByText.has(text)) codesByText.set(text, codesByText.size + 1)
  const texts = [...codesByText.keys()].map((text) => Buffer.from(text))
  const bytes = new Uint8Array(Buffer.concat(texts))
  let end = 0
  const Codes = texts.length < 2 ** 16 ? Uint16Array : Uint32Array
  return {
    codes: new Codes(values.map((text) => (text === null ? 0 : codesByText.get(text)!))),
    ends: Uint32Array.from(texts, (text) => (end += text.length)),
    bytes,
    encoding: bytes.every((byte) => byte < 128) ? ('latin1' as const) : ('utf8' as const),
  }
}
