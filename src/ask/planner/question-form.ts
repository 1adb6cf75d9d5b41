import type { Field } from '../../catalog/records.ts'

/**
 * Whether the form of a question asks for something that these fields cannot hold: advice, a person, a time, a price or
 * the future.
 */
export function asksForOtherFields(words: string[], fields: Field[]): boolean {
  const text = words.join(' ')
  return forms.some(({ asks, holds }) => asks.test(text) && !fields.some(holds))
}

const forms: { asks: RegExp; holds: (field: Field) => boolean }[] = [
  {
    asks: /\b(?:does|do|did|has) (?:the|this|my|that|our) (?:house|home|building|apartment) have\b|\bhouse on fire\b/,
    holds: ({ layer }) => layer === 'parcel',
  },
  { asks: /^(?:why|how (?:do|can|should|would) (?:i|we|you)|how to|who can (?:i|we))\b/, holds: () => false },
  {
    asks: /^(?:who|who's|whose|whom)\b/,
    holds: ({ name, type }) =>
      type === 'string' && /name|manager|district|owner|operator|utility|spec|agency/.test(name),
  },
  {
    asks: /^when (?:did|was|were|does|do|is|will|has|can)\b/,
    holds: ({ unit, name }) => unit === 'year' || unit === 'date' || /_(?:date|year|age)$/.test(name),
  },
  {
    asks: /\b(?:costs?|prices?|expensive|cheap|fees?|bills?(?! to\b)|premiums?|how much (?:to|do i) pay)\b/,
    holds: ({ unit, name }) => unit?.startsWith('USD') === true || /price|crs_class/.test(name),
  },
  {
    asks: /\b(?:tomorrow|tonight|next (?:week|weekend|month|year|summer|winter|spring|fall|[a-z]+day)|this weekend|forecast|(?<!\b(?:was|were|been|lost|gained|changed)\b.*)in (?:\d+|two|three|five|ten|twenty) (?:days|weeks|months|years))\b/,
    holds: ({ name }) => /sea_level_rise|slr_|forecast|alert/.test(name),
  },
]
