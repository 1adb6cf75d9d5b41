/** Splits a text into lowercase words and punctuation marks. */
export function splitWords(text: string): string[] {
  return splitWordsKeepingCase(text).map((word) => word.toLowerCase())
}

/** Splits a text in the same way and keeps the case. */
export function splitWordsKeepingCase(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/[’‘]/g, "'")
  return plain.match(/[a-z0-9]+(?:[.'][a-z0-9]+)*|[,;.?!:]/gi) ?? []
}

/** Removes the plural ending, so that `schools` and `school` match. */
export function stemOf(word: string): string {
  const singular = word.replace(/'s$/, '')
  if (singular.length > 4 && singular.endsWith('ies')) return `${singular.slice(0, -3)}y`
  if (singular.length > 4 && /(?:s|x|ch|sh|o)es$/.test(singular)) return singular.slice(0, -2)
  return singular.length > 3 && singular.endsWith('s') && !/(?:ss|us|is)$/.test(singular)
    ? singular.slice(0, -1)
    : singular
}

/** Returns the root that forms of a word share: `protecting`, `protects` and `protection` have `protect`. */
export function rootOf(word: string): string {
  const stem = stemOf(word)
  const root = stem.replace(
    /(?:ational|ation|ition|tion|ing|ings|ed|er|ers|or|ly|al|ial|ment|ness|ence|ance|ive|able|es|e|y)$/,
    '',
  )
  return root.length >= rootMin_letters ? root : stem
}

const rootMin_letters = 4

/** Whether a word names a topic, rather than only phrasing the question. */
export function isContentWord(word: string): boolean {
  return /^[a-z0-9]/.test(word) && word.length > 1 && !stopWords.has(word) && !/^\d+$/.test(word)
}

/** Whether a word only phrases a question, as `worry` does, so that no field needs to cover it. */
export function isPhrasingWord(word: string): boolean {
  return phrasingWords.has(word) || phrasingWords.has(stemOf(word)) || /.{3}ly$/.test(word)
}

/** Words that occur in any question about a place and name no topic. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above across actually after again all along also am an and any anybody anyone anything are area aren't around as ask at away back be because been before being
  below best better between biggest both bring but by call called compare compared comparing comparison can can't cause check close closer closest come could couldn't covers currently cut day days describe did didn't difference distance do does doesn't doing don't done down
  during each else enough ever every evaluate exactly far farther feel few find first for found from fully further get gets getting give given go goes going gonna good got great had happen happens hard has have having he
  hello help her here here's hey hi high higher him his hour how how's however huge i i'd i'll i'm i've idea if in info inside into is isn't it it'd it'll it's its itself just keep kind km know large last
  least less let let's like likely little location lol long look looking lot lots low lower made main make many may maybe me mean meters metres mile miles might mind more most much must my name near nearby
  nearest near need never new next nice no none nor not nothing now number of off often ok okay old on once one only onto or other others our out outside over own part past people per perhaps place please
  pls point possible probably property put question quick quite really right risk said same say see seem service serve shall she should show since site sits sit so some somebody somehow someone something sort spot still strong stuff such suppose
  sure take tell than thank thanks that that's the their them then there there's these they thing things think this those though through til to today together too toward try two type typical u under
  until up upon ur us use used useful using usually value versus very vs want was wasn't we we'd we're well went were what what's whats when where where's whether which while who who's whole why will with within without won't
  work works worried would wouldn't yeah year years yes yet you you'd you're your yours feet foot meter metre kilometer kilometers address adress parcel land level big count meaning life thing sense zero three four five six seven eight nine ten dozen hundred thousand half house home yard`.split(
    /\s+/,
  ),
)

/** Verbs, adjectives and nouns of measure that phrase a question and can belong to any topic. */
const phrasingWords = new Set(
  `absolute accurate actual add advise affect afford allow amount answer apply approximate assume available average avoid bad base begin believe belong brief build built buy calculate care catch
  certain chance change choose common concern confirm consider contain count current curious data date decide deep dense depend describe detail determine direct estimate exact
  exist expect explain extreme fact fall fast fine follow free frequent general guess happy heavy hit honest hope identify immediate important information interest involve know latest lead learn
  leave list locate matter maximum mean measure median mention minimum modern moment nice norm normal note notice official open order overall percent percentage percentile period plan
  point prefer present probable proper provide pull quality quarter range rate rather reach read ready real reason recent recommend record regard relative reliable report require respect result run safe
  score search section serious severe share shot show significant similar simple situation size small smart specific stand standard start state statistics status stay steep stop strong sudden suitable summary
  supply support surround talk tall term today tool top total track tricky trouble true typical understand unit usual various view wait walk warn way wide wonder word worth wrong
  biggest bigger lowest highest fewest closest strongest worst newest oldest longest shortest deepest
  another anywhere everywhere elsewhere already almost alone among apart everything according approximately basically besides beyond particular particularly regarding roughly somewhere
  site building farm ranch cabin backyard street folks guy guys hello dear sir madam thx ty yo ok fyi asap btw greetings appreciate folk person buddy cheers kindly`.split(
    /\s+/,
  ),
)
