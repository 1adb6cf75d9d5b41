import type { Dataset } from './records.ts'

/** How current data without a vintage are: the note of the dataset, or that the publisher states no date. */
export function vintageNoteOf({ vintage_note }: Pick<Dataset, 'vintage_note'>): string {
  return vintage_note ?? 'The publisher states no date.'
}
