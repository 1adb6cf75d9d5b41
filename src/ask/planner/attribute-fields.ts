import { keywordsOf } from './field-keywords.ts'

/**
 * Returns fields for the attribute that a question asks for ("how old", "when", "how big"), limited to the subjects of
 * `names`.
 */
export function attributeFieldsOf(words: string[], names: string[], all: Iterable<string>): string[] {
  const text = words.join(' ')
  const namePatterns = attributePatterns
    .filter(([questionPattern]) => questionPattern.test(text))
    .map(([, names]) => names)
  if (namePatterns.length === 0) return []
  const subjects = new Set(names.map(subjectWordOf))
  return [...all]
    .filter((name) => subjects.has(subjectWordOf(name)) && namePatterns.some((it) => it.test(name)))
    .slice(0, attributesMax)
}

const attributesMax = 4

const attributePatterns: [said: RegExp, names: RegExp][] = [
  [
    /\b(?:when|what year|which year|how long ago|how recent|how recently|how old|what age)\b/,
    /_(?:year|date|age|year_built)$/,
  ],
  [
    /\b(?:how big|how large|size|acreage|acres|how many acres)\b/,
    /_(?:population|acres|area_km2|capacity_mw)$|^max_.*_size_/,
  ],
  [/\b(?:how tall|height)\b/, /_height_m$/],
  [/\b(?:how high|elevation|above sea level)\b/, /_elevation_ft$/],
  [/\b(?:how deep|how far down|depth)\b/, /_depth_(?:cm|ft)$/],
  [/\b(?:how strong|how bad|worst|biggest|largest|strongest)\b/, /^max_/],
  [/\b(?:what|which) (?:kind|type|sort|class)\b/, /_(?:type|class|fuel)$/],
  [/\b(?:who|whose) (?:runs|manages|owns|operates|is in charge)\b/, /_manager$/],
  [/\bhow many\b/, /_count$/],
]

/**
 * Returns the first significant word of a field name: `nearest_recent_fire_year` and `nearest_recent_fire_distance_m`
 * share a subject.
 */
function subjectWordOf(name: string): string {
  return keywordsOf(name).find((word) => word !== 'max') ?? name
}
