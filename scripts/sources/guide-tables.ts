import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import type { App } from '../../src/app.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { evidenceKindMeanings, type EvidenceKind } from '../../src/catalog/catalog-document.ts'
import { exitCodeMeanings } from '../../src/cli/exit-codes.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { configOf } from '../../src/config.ts'
import { gaugesOf } from '../../src/http/meta/gauges.ts'
import { limitsDocument } from '../../src/http/meta/limits.ts'
import { openTelemetry } from '../../src/telemetry/telemetry.ts'
import { datasetsTable } from './datasets.ts'
import { evidenceCounts } from './evidence-counts.ts'
import { fieldsWithoutCopy } from './fields-without-copy.ts'
import { markdownTable } from './markdown-table.ts'

/** The generated parts of the guide: the page, the mark in it, and the text between the marks. */
export function guideTables(): { page: string; mark: string; text: string }[] {
  return [
    { page: 'fields-and-presets', mark: 'presets', text: presetsTable() },
    { page: 'fields-and-presets', mark: 'layers', text: layersTable() },
    { page: 'operate', mark: 'exit-codes', text: exitCodesTable() },
    { page: 'observe', mark: 'metrics', text: metricsTable() },
    { page: 'settings', mark: 'settings', text: settingsTable() },
    { page: 'settings', mark: 'limits', text: limitsTable() },
    { page: 'datasets', mark: 'counts', text: catalogCounts() },
    { page: 'datasets', mark: 'embedded-layers', text: embeddedLayersTable() },
    { page: 'datasets', mark: 'sources', text: datasetsTable(contents) },
    { page: 'datasets', mark: 'evidence', text: evidenceTable() },
    { page: 'packs-and-offline', mark: 'not-copied', text: notCopiedTable() },
  ]
}

function catalogCounts(): string {
  const { datasets, fields, presets, version } = contents
  const layers = new Set(fields.map(({ layer }) => layer))
  return `Catalog ${version} has ${fields.length} fields in ${layers.size} layers, from ${Object.keys(datasets).length} datasets, and ${Object.keys(presets).length} presets.`
}

function embeddedLayersTable(): string {
  using db = new Database(join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg'), { readonly: true })
  const layers = db.query<EmbeddedLayerRow, []>('SELECT * FROM embedded_manifest ORDER BY fid').all()
  const countOf = (layer: string) =>
    db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM "${layer}"`).get()!.rows
  return markdownTable(
    ['layer', 'rows', 'publisher', 'license', 'vintage'],
    layers.map(({ layer, title, publisher, license, vintage }) => [
      title,
      countOf(layer).toLocaleString('en-US'),
      publisher,
      license,
      vintage,
    ]),
  )
}

type EmbeddedLayerRow = { layer: string; title: string; publisher: string; license: string; vintage: string }

function notCopiedTable(): string {
  const byReason = Map.groupBy(fieldsWithoutCopy(createCatalog(contents)), ({ reason }) => reason)
  const rows = [...byReason].map(([reason, fields]) => [
    String(fields.length),
    fields.map(({ field }) => `\`${field.name}\``).join(', '),
    reason,
  ])
  const total = rows.reduce((sum, [count]) => sum + Number(count), 0)
  const sentence = `${total} of the ${contents.fields.length} fields cannot be copied for an area:`
  return `${sentence}\n\n${markdownTable(['number', 'fields', 'why'], rows)}`
}

function evidenceTable(): string {
  const counts = evidenceCounts(createCatalog(contents))
  const table = markdownTable(
    ['evidence', 'fields', 'meaning'],
    Object.entries(evidenceKindMeanings).map(([kind, meaning]) => [
      `\`${kind}\``,
      String(counts[kind as EvidenceKind]),
      meaning,
    ]),
  )
  const { checked_live, recorded, reported, names_only, documented, unconfirmed } = counts
  const sentence = [
    `For ${checked_live + recorded} of the ${contents.fields.length} fields, we hold a real answer of the publisher, and every change is tested against it.`,
    `For ${reported + names_only}, others have described what the source answers.`,
    `${documented} follow the publisher's documentation alone: before you rely on one, compare a few places with the publisher's own page, or run \`fieldstone doctor --live\`.`,
    `${unconfirmed} have an open doubt, and are marked beta.`,
  ].join(' ')
  return `${sentence}\n\n${table}`
}

function presetsTable(): string {
  return markdownTable(
    ['preset', 'fields', 'what it is for'],
    Object.entries(contents.presets).map(([name, { fields, reason }]) => [
      `\`${name}\``,
      String(fields.length),
      reason,
    ]),
  )
}

function layersTable(): string {
  const layers = Map.groupBy(contents.fields, ({ layer }) => layer)
  return markdownTable(
    ['layer', 'fields', 'such as'],
    [...layers].map(([layer, fields]) => [
      `\`${layer}\``,
      String(fields.length),
      fields
        .slice(0, 3)
        .map(({ name }) => `\`${name}\``)
        .join(', '),
    ]),
  )
}

function settingsTable(): string {
  return markdownTable(
    ['variable', 'meaning'],
    Object.entries(settingDescriptions).map(([name, text]) => [`\`${name}\``, text]),
  )
}

function limitsTable(): string {
  const { limits } = limitsDocument({ config: configOf({}) })
  return markdownTable(
    ['limit', 'value', 'unit', 'applies to'],
    Object.entries(limits).map(([name, { value, unit, applies_to }]) => [
      `\`${name}\``,
      value.toLocaleString('en-US'),
      unit,
      applies_to,
    ]),
  )
}

function exitCodesTable(): string {
  return markdownTable(['exit code', 'meaning'], Object.entries(exitCodeMeanings))
}

function metricsTable(): string {
  const telemetry = openTelemetry({ otlp: null, version: '', randomBytes: (size) => new Uint8Array(size) })
  // No gauge is read here: only names, labels and descriptions are needed, so no app is opened.
  const families = [...telemetry.families, ...gaugesOf({} as App)]
  telemetry.close()
  return markdownTable(
    ['metric', 'type', 'labels', 'meaning'],
    families.map(({ name, type, labelNames, help }) => [
      `\`${name}\``,
      type,
      labelNames.map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  )
}
