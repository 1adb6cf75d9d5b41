import type { Dataset } from '../catalog/records.ts'

/** How far a distance to a generalized dataset can be off, in meters; nothing for other values and datasets. */
export function uncertaintyMembersOf(
  value: unknown,
  unit: string | null,
  { uncertainty }: Pick<Dataset, 'uncertainty'>,
): { uncertainty_m?: number; notes?: string } {
  if (!uncertainty || unit !== 'm' || typeof value !== 'number') return {}
  const { share, least_m, most_m, note } = uncertainty
  const uncertainty_m = Math.round(Math.min(Math.max(least_m, share * value), most_m))
  return { uncertainty_m, notes: `${note} The distance can be off by ${uncertainty_m.toLocaleString('en-US')} m.` }
}
