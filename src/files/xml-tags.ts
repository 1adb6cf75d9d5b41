/** A tag: its name, its attributes as text, its kind, and the text between it and the previous tag. */
export type XmlTag = { name: string; attributes: string; kind: 'open' | 'close' | 'empty'; text: string }

/**
 * Iterates over the tags of a document. Each character is examined a constant number of times; iteration ends where the
 * text is cut off.
 */
export function parseXmlTags(xml: string): Generator<XmlTag> {
  return parseXmlTagsOf([xml], Infinity)
}

/**
 * Iterates over the tags of a document that arrives in pieces.
 * @throws {RangeError} for a tag, or a text between two tags, of more than `longest` characters.
 */
export function* parseXmlTagsOf(pieces: Iterable<string>, longest: number): Generator<XmlTag> {
  let xml = ''
  let text = ''
  for (const piece of pieces) {
    xml += piece
    let from = 0
    for (let section = sectionAt(xml, from); section; section = sectionAt(xml, from)) {
      const { open, close, nonTag } = section
      if (open > from) text += unescapeXml(xml.slice(from, open))
      if (nonTag?.isText) text += xml.slice(open + nonTag.begin.length, close)
      from = close + (nonTag?.end.length ?? 1)
      if (nonTag) continue
      requireLength(text.length + close - open, longest)
      yield createTag(xml, open, close, text)
      text = ''
    }
    xml = xml.slice(from)
    requireLength(text.length + xml.length, longest)
  }
}

function requireLength(characters: number, longest: number): void {
  if (characters > longest) throw new RangeError(`A tag, with the text before it, has more than ${longest} characters.`)
}

type Section = { open: number; close: number; nonTag: (typeof nonTagSections)[number] | undefined }

/** The next tag, comment or other section; null if it is not complete. */
function sectionAt(xml: string, from: number): Section | null {
  const open = xml.indexOf('<', from)
  if (open === -1 || isCutOff(xml, open)) return null
  const nonTag = nonTagSectionAt(xml, open)
  const close = nonTag ? xml.indexOf(nonTag.end, open + nonTag.begin.length) : tagEndAt(xml, open)
  return close === -1 ? null : { open, close, nonTag }
}

/** Whether the text ends within the mark that says what kind of section this is. */
function isCutOff(xml: string, open: number): boolean {
  const rest = xml.slice(open, open + longestBegin)
  return xml.length - open < longestBegin && nonTagSections.some(({ begin }) => begin.startsWith(rest))
}

/** The value of an attribute; empty if the tag does not have it. */
export function xmlAttributeOf({ attributes }: XmlTag, name: string): string {
  for (let from = 0; ;) {
    const equals = attributes.indexOf('=', from)
    if (equals === -1) return ''
    let begin = equals + 1
    while (attributes.charCodeAt(begin) <= charCodes.space) begin++
    const quote = attributes[begin++]
    const end = quote === '"' || quote === "'" ? attributes.indexOf(quote, begin) : -1
    if (end === -1) return ''
    if (attributes.slice(from, equals).trim() === name) return unescapeXml(attributes.slice(begin, end))
    from = end + 1
  }
}

/** Sections that are not tags. They have their own end marker and may contain `<` and `>`. */
const nonTagSections = [
  { begin: '<!--', end: '-->', isText: false },
  { begin: '<![CDATA[', end: ']]>', isText: true },
  { begin: '<?', end: '?>', isText: false },
]

const longestBegin = Math.max(...nonTagSections.map(({ begin }) => begin.length))

function nonTagSectionAt(xml: string, open: number): (typeof nonTagSections)[number] | undefined {
  const next = xml[open + 1]
  return next === '!' || next === '?' ? nonTagSections.find(({ begin }) => xml.startsWith(begin, open)) : undefined
}

/** The end of the tag that starts at `open`; quoted values may contain `>`. */
function tagEndAt(xml: string, open: number): number {
  for (let at = open + 1; at < xml.length; at++) {
    const charCode = xml.charCodeAt(at)
    if (charCode === charCodes.greater) return at
    if (charCode !== charCodes.quote && charCode !== charCodes.apostrophe) continue
    at = xml.indexOf(charCode === charCodes.quote ? '"' : "'", at + 1)
    if (at === -1) return -1
  }
  return -1
}

const charCodes = { greater: 0x3e, quote: 0x22, apostrophe: 0x27, slash: 0x2f, space: 0x20 }

function createTag(xml: string, open: number, close: number, text: string): XmlTag {
  if (xml.charCodeAt(open + 1) === charCodes.slash)
    return { name: xml.slice(open + 2, close).trimEnd(), attributes: '', kind: 'close', text }
  const isEmpty = xml.charCodeAt(close - 1) === charCodes.slash
  const end = isEmpty ? close - 1 : close
  let nameEnd = open + 1
  while (nameEnd < end && xml.charCodeAt(nameEnd) > charCodes.space) nameEnd++
  return {
    name: xml.slice(open + 1, nameEnd),
    attributes: xml.slice(nameEnd, end),
    kind: isEmpty ? 'empty' : 'open',
    text,
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Limits the length of entity names and numbers. */
const entityPattern = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi
const maxCodePoint = 0x10ffff

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(entityPattern, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? entities[name]! : whole
    const point = decimal === undefined ? parseInt(hex!, 16) : Number(decimal)
    return point <= maxCodePoint ? String.fromCodePoint(point) : whole
  })
}
