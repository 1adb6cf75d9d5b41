/**
 * Replaces numbers in words by digits where they state a quantity: "two dozen" becomes `24`, "half a mile" becomes
 * `≈0.5 a mile`. "One of the", "the two" and names such as Three Rivers stay.
 */
export function numbersAsDigits(text: string): string {
  return text
    .replace(/\ba\s+([a-z]+)\s+and\s+a\s+half\b/gi, (_, unit: string) => `${approximateMark}1.5 ${unit}`)
    .replace(/\bhalf\s+a\s+dozen\b/gi, `${approximateMark}6`)
    .replace(
      new RegExp(`\\b(${smallNumber})\\s+and\\s+(a\\s+half|a\\s+quarter|three\\s+quarters)\\b`, 'gi'),
      (_, wholePart: string, fractionPart: string) =>
        `${approximateMark}${valueOf(wholePart) + fractionOf(fractionPart)}`,
    )
    .replace(
      fractionPattern,
      (words, numerator: string | undefined, denominator: string | undefined) =>
        `${approximateMark}${words.toLowerCase().startsWith('half') ? 0.5 : Math.round(((numerator ? valueOf(numerator) : 1) / (denominator?.startsWith('third') ? 3 : 4)) * 1000) / 1000} `,
    )
    .replace(wholePattern, (words: string, index: number, all: string) =>
      isQuantity(
        words,
        all.slice(Math.max(0, index - 32), index),
        all.slice(index + words.length, index + words.length + 32),
      )
        ? digitsOf(words)
        : words,
    )
}

/** Marks an approximate number. */
export const approximateMark = '≈'

const ones: Record<string, number> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
}
const scales: Record<string, number> = { dozen: 12, hundred: 100, thousand: 1000, million: 1e6, billion: 1e9 }

const digit = 'one|two|three|four|five|six|seven|eight|nine'
const smallNumber = `(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\\s-](?:${digit}))?|${Object.keys(ones).toReversed().join('|')})`
const hundreds = `(?:(?:${smallNumber}|an?)\\s+)?hundred(?:\\s+(?:and\\s+)?${smallNumber})?`
const wholePattern = new RegExp(
  `\\b(?:(?:(?:${hundreds}|${smallNumber}|an?)\\s+)?(?:thousand|million|billion)(?:\\s+(?:and\\s+)?(?:${hundreds}|${smallNumber}))?|${hundreds}|(?:(?:${smallNumber}|an?)\\s+)?dozen|${smallNumber})\\b`,
  'gi',
)
const fractionPattern =
  /\bhalf(?:\s+of)?\s+(?=an?\s|the\s|its\s|all\s|[a-z]+(?:mile|foot)\b)|\b(?:an?|(one|two|three))[\s-](thirds?|quarters?)(?=\s+(?:of|miles?|acres?|the)\b)\s*/gi

/** Evaluates number words: "three hundred and five" is 300 + 5, "two thousand" is 2 × 1000. */
function valueOf(words: string): number {
  let sum = 0
  let group: number | null = null
  for (const word of words.toLowerCase().split(/[\s-]+/)) {
    const scale = scales[word]
    if (scale === undefined) group = (group ?? 0) + (ones[word] ?? 0)
    else if (scale <= 100) group = (group || 1) * scale
    else {
      sum += (group || 1) * scale
      group = null
    }
  }
  return sum + (group ?? 0)
}

function fractionOf(words: string): number {
  return words.includes('half') ? 0.5 : words.startsWith('three') ? 0.75 : 0.25
}

function digitsOf(words: string): string {
  return `${/dozen|hundred|thousand|million|billion/i.test(words) ? approximateMark : ''}${valueOf(words)}`
}

const unitPattern =
  /^[\s-]+(?:miles?|feet|foot|ft|met(?:er|re)s?|kilomet(?:er|re)s?|km|inch(?:es)?|yards?|acres?|hectares?|hours?|minutes?|days?|months?|years?|percent|degrees?|dollars?|people)\b/i
const determinerPattern = /\b(?:the|these|those|both|all|other|its|no|any|each|last|first|next|which|this|that)\s+$/i
const answerNounPattern =
  /^[\s-]+(?:more\s+)?(?:sources?|values?|fields?|figures?|things?|reasons?|questions?|parts?|ways?|datasets?|measures?|factors?|points?|sides?|sentences?|answers?|caveats?)\b/i

/** Whether number words state a quantity, rather than refer to something or belong to a name. */
function isQuantity(words: string, before: string, after: string): boolean {
  if (
    isInProperName(words, before, after) ||
    answerNounPattern.test(after) ||
    (determinerPattern.test(before) && !unitPattern.test(after))
  )
    return false
  if (words.toLowerCase() !== 'one') return true
  return (
    unitPattern.test(after) ||
    (/\b(?:there (?:is|was)|only|exactly|just)\s+$/i.test(before) &&
      /^\s+(?!of\b|or\b|in\b|that\b|which\b)[a-z]/i.test(after))
  )
}

function isInProperName(words: string, before: string, after: string): boolean {
  const beginsSentence = before.trim() === '' || /[.!?:\]]\s*$/.test(before)
  return /^[A-Z]/.test(words) && (!beginsSentence || /^[\s-]+[A-Z]/.test(after))
}
