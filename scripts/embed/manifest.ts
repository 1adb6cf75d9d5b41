import type { LayerSource, LayerRow, Table } from './layer.ts'

/** A written layer: its number of rows, and the versions of its packages. */
export type WrittenLayer = { layer: LayerSource; features: number; packages: Map<string, { version: string }> }

const columns = {
  layer: 'TEXT',
  title: 'TEXT',
  packages: 'TEXT',
  publisher: 'TEXT',
  source_url: 'TEXT',
  license: 'TEXT',
  attribution: 'TEXT',
  vintage: 'TEXT',
  features: 'INTEGER',
  derivation: 'TEXT',
} as const

/** The table with the sources of each layer. `packages` is JSON. */
export const manifestOf = (written: WrittenLayer[]): Table<keyof typeof columns> => ({
  name: 'embedded_manifest',
  title: 'Where each layer comes from',
  geometry: null,
  columns,
  rows: () => written.map(rowOf),
})

function rowOf({ layer, features, packages: installed }: WrittenLayer): LayerRow<keyof typeof columns> {
  const { name, title, files, publisher, source_url, license, attribution, vintage, derivation } = layer
  const from = files.map((it) => ({
    name: it.package,
    version: installed.get(it.package)!.version,
    file: it.file,
    sha256: it.sha256,
  }))
  const packages = JSON.stringify(from)
  return {
    cells: { layer: name, title, packages, publisher, source_url, license, attribution, vintage, features, derivation },
    geom: null,
  }
}
