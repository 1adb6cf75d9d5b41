import { createCatalog } from '../../catalog/catalog.ts'
import type { CatalogContents, Field } from '../../catalog/records.ts'
import { openFieldIndex } from '../../fetch/catalog/search-fields.ts'
import { alignColumns } from './answer-table.ts'
import { exitCodes } from '../exit-codes.ts'

const searchMax = 50
const descriptionMax = 100

/** What `fieldstone fields` and `fieldstone presets` need. `json`: print JSON instead of a table. */
export type CatalogCommandDeps = {
  contents: CatalogContents
  json: boolean
  print(line: string): void
  printError(line: string): void
}

/** `fieldstone fields [words]`: the fields that match the words, best first, or all fields. */
export function fieldsCommand(words: string[], { contents, json, print, printError }: CatalogCommandDeps): number {
  const catalog = createCatalog(contents)
  const query = words.join(' ').trim()
  const index = openFieldIndex()
  try {
    const names = query === '' ? [...catalog.fields.keys()] : index.searchFields(catalog, query, searchMax)
    const fields = names.map((name) => catalog.fields.get(name)!)
    if (json)
      print(
        JSON.stringify({ version: catalog.version, count: fields.length, fields: fields.map(fieldSummary) }, null, 2),
      )
    else for (const line of alignColumns(fields.map(fieldCells))) print(line)
    if (fields.length > 0) return exitCodes.ok
    printError(`No field matches ${JSON.stringify(query)}. \`fieldstone fields\` lists all fields.`)
    return exitCodes.failure
  } finally {
    index.close()
  }
}

/** `fieldstone presets`: every preset with its fields. */
export function presetsCommand({ contents, json, print }: CatalogCommandDeps): number {
  const { presets } = createCatalog(contents)
  if (json) {
    const fieldsByPreset = Object.fromEntries([...presets].map(([name, { fields }]) => [name, fields]))
    print(JSON.stringify({ presets: fieldsByPreset }, null, 2))
    return exitCodes.ok
  }
  const rows = [...presets].map(([name, { fields, reason }]) => [name, `${fields.length} fields`, reason])
  for (const line of alignColumns(rows)) print(line)
  return exitCodes.ok
}

function fieldSummary({ name, description, interpretation_hints, layer, type, unit }: Field) {
  return { name, description, interpretation_hints, layer, type, unit }
}

function fieldCells({ name, type, unit, description }: Field): string[] {
  const [first = ''] = description.split(/(?<=\.)\s/, 1)
  return [name, unit ?? type, first.length > descriptionMax ? `${first.slice(0, descriptionMax - 1)}…` : first]
}
