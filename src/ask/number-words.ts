/** A text with its numbers in words put as digits where they state a value: "two dozen" is `24`, "half a mile" is `≈0.5 a mile`. "One of the", "the two" and names such as Three Rivers stay as they are. */
export function inDigits(text: string): string {
  return text
    .replace(/\ba\s+([a-z]+)\s+and\s+a\s+half\b/gi, (_, unit: string) => `${about}1.5 ${unit}`)
    .replace(/\bhalf\s+a\s+dozen\b/gi, `${about}6`)
    .replace(new RegExp(`\\b(${small})\\s+and\\s+(a\\s+half|a\\s+quarter|three\\s+quarters)\\b`, 'gi'), (_, whole: string, part: string) => `${about}${valueOf(whole) + partOf(part)}`)
    .replace(parts, (said, many: string | undefined, of: string | undefined) => `${about}${said.toLowerCase().startsWith('half') ? 0.5 : Math.round((many ? valueOf(many) : 1) / (of?.startsWith('third') ? 3 : 4) * 1000) / 1000} `)
    .replace(wholes, (said: string, index: number, all: string) => (isStated(said, all.slice(Math.max(0, index - 32), index), all.slice(index + said.length, index + said.length + 32)) ? digitsOf(said) : said))
}

/** Stands before a number that is meant roughly. */
export const about = '≈'

const ones: Record<string, number> = {
  zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, eleven: 11, twelve: 12, thirteen: 13, fourteen: 14, fifteen: 15, sixteen: 16, seventeen: 17, eighteen: 18, nineteen: 19,
  twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90,
}
const scales: Record<string, number> = { dozen: 12, hundred: 100, thousand: 1000, million: 1e6, billion: 1e9 }

const digit = 'one|two|three|four|five|six|seven|eight|nine'
const small = `(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\\s-](?:${digit}))?|${Object.keys(ones).toReversed().join('|')})`
const hundreds = `(?:(?:${small}|an?)\\s+)?hundred(?:\\s+(?:and\\s+)?${small})?`
const wholes = new RegExp(`\\b(?:(?:(?:${hundreds}|${small}|an?)\\s+)?(?:thousand|million|billion)(?:\\s+(?:and\\s+)?(?:${hundreds}|${small}))?|${hundreds}|(?:(?:${small}|an?)\\s+)?dozen|${small})\\b`, 'gi')
const parts = /\bhalf(?:\s+of)?\s+(?=an?\s|the\s|its\s|all\s|[a-z]+(?:mile|foot)\b)|\b(?:an?|(one|two|three))[\s-](thirds?|quarters?)(?=\s+(?:of|miles?|acres?|the)\b)\s*/gi

/** "three hundred and five" is 300 + 5, "two thousand" is 2 × 1000. */
function valueOf(said: string): number {
  let sum = 0
  let run: number | null = null
  for (const word of said.toLowerCase().split(/[\s-]+/)) {
    const scale = scales[word]
    if (scale === undefined) run = (run ?? 0) + (ones[word] ?? 0)
    else if (scale <= 100) run = (run || 1) * scale
    else {
      sum += (run || 1) * scale
      run = null
    }
  }
  return sum + (run ?? 0)
}

function partOf(said: string): number {
  return said.includes('half') ? 0.5 : said.startsWith('three') ? 0.75 : 0.25
}

function digitsOf(said: string): string {
  return `${/dozen|hundred|thousand|million|billion/i.test(said) ? about : ''}${valueOf(said)}`
}

const unit = /^[\s-]+(?:miles?|feet|foot|ft|met(?:er|re)s?|kilomet(?:er|re)s?|km|inch(?:es)?|yards?|acres?|hectares?|hours?|minutes?|days?|months?|years?|percent|degrees?|dollars?|people)\b/i
const pointing = /\b(?:the|these|those|both|all|other|its|no|any|each|last|first|next|which|this|that)\s+$/i
const ofTheAnswer = /^[\s-]+(?:more\s+)?(?:sources?|values?|fields?|figures?|things?|reasons?|questions?|parts?|ways?|datasets?|measures?|factors?|points?|sides?|sentences?|answers?|caveats?)\b/i

/** Whether a number in words states a quantity, and does not point at something or stand in a name. */
function isStated(said: string, before: string, after: string): boolean {
  if (isInName(said, before, after) || ofTheAnswer.test(after) || pointing.test(before) && !unit.test(after)) return false
  if (said.toLowerCase() !== 'one') return true
  return unit.test(after) || (/\b(?:there (?:is|was)|only|exactly|just)\s+$/i.test(before) && /^\s+(?!of\b|or\b|in\b|that\b|which\b)[a-z]/i.test(after))
}

function isInName(said: string, before: string, after: string): boolean {
  const beginsSentence = before.trim() === '' || /[.!?:\]]\s*$/.test(before)
  return /^[A-Z]/.test(said) && (!beginsSentence || /^[\s-]+[A-Z]/.test(after))
}
