import type { CatalogField } from '../../catalog/catalog-document.ts'

/** The kinds of evidence as the pages show them, strongest first. */
export const evidenceLabels: Record<CatalogField['evidence']['kind'], string> = {
  checked_live: 'Checked live',
  recorded: 'Recorded',
  reported: 'Reported',
  names_only: 'Names only',
  documented: 'Documented',
  unconfirmed: 'Unconfirmed',
}
