import type { Catalog } from '../../src/catalog/catalog.ts'
import { evidenceKinds, type EvidenceKind } from '../../src/catalog/catalog-document.ts'
import { evidenceOf } from '../../src/catalog/evidence.ts'

/** The number of fields of each kind of evidence. */
export function evidenceCounts(catalog: Catalog): Record<EvidenceKind, number> {
  const found = [...catalog.fields.values()].map((field) => evidenceOf(field, catalog).kind)
  return Object.fromEntries(evidenceKinds.map((kind) => [kind, found.filter((it) => it === kind).length])) as Record<
    EvidenceKind,
    number
  >
}
