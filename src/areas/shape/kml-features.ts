import { parseXmlTagsOf, xmlAttributeOf, type XmlTag } from '../../files/xml-tags.ts'
import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import type { Properties } from '../../model/source.ts'
import type { InputFeature } from '../../files/input-file.ts'
import { FileError } from '../../files/file-error.ts'

/** No placemark is this long. One with the largest area of a request has less than 1 MB. */
const placemarkMax_characters = 8 * 1024 ** 2
/** No placemark is nested this deep. */
const depthMax = 100

/**
 * The placemarks of a KML document that arrives in pieces, with their extended data, and with their id, name,
 * description, folder and time. Each is in WGS 84 degrees. `file` is the name of the document in errors.
 * @throws {FileError} for a placemark that is too long, and after the last one, if the document is cut off.
 */
export function* kmlFeatures(pieces: Iterable<string>, file: string): Generator<InputFeature> {
  let placemark: PlacemarkReader | null = null
  let isComplete = false
  const folders = new FolderNames()
  for (const tag of tagsOf(pieces, file)) {
    const name = localName(tag)
    isComplete ||= name === 'kml' && tag.kind !== 'open'
    if (name === 'Placemark') {
      if (tag.kind === 'close' && placemark) yield placemark.feature()
      placemark = tag.kind === 'open' ? new PlacemarkReader(file, tag, folders.path()) : null
    } else if (placemark) placemark.read(name, tag)
    else folders.read(name, tag)
  }
  if (!isComplete) throw new FileError(`${file} is truncated: its closing tag </kml> is missing.`)
}

function* tagsOf(pieces: Iterable<string>, file: string): Generator<XmlTag> {
  try {
    yield* parseXmlTagsOf(pieces, placemarkMax_characters)
  } catch (cause) {
    throw cause instanceof RangeError ? tooLongError(file, cause) : cause
  }
}

function tooLongError(file: string, cause?: unknown): FileError {
  return new FileError(
    `${file} has a placemark, or a text between two tags, of more than ${placemarkMax_characters / 1024 ** 2} MB. Simplify it.`,
    { cause },
  )
}

function localName({ name }: XmlTag): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The names of the folders around a placemark. */
class FolderNames {
  /** The name of each open folder; null until it is known, and for other elements. */
  readonly #open: { element: string; name: string | null }[] = []

  read(element: string, { kind, text }: XmlTag): void {
    if (kind === 'open') {
      if (this.#open.length === depthMax) return
      this.#open.push({ element, name: null })
    } else if (kind === 'close') {
      const around = this.#open.at(-2)
      if (element === 'name' && around?.element === 'Folder') around.name = text.trim()
      const at = this.#open.findLastIndex((it) => it.element === element)
      if (at >= 0) this.#open.length = at
    }
  }

  /** The names from the outermost folder to the innermost. */
  path(): string {
    return this.#open.flatMap(({ name }) => (name === null || name === '' ? [] : [name])).join(' / ')
  }
}

/** The elements of a placemark that become attributes. */
const ownElements: Readonly<Record<string, string>> = {
  name: 'Placemark',
  description: 'Placemark',
  when: 'TimeStamp',
  begin: 'TimeSpan',
  end: 'TimeSpan',
}

/** Collects the geometry and the attributes of one placemark, tag by tag. */
class PlacemarkReader {
  readonly #open: string[] = []
  readonly #parts: GeometryPart[] = []
  /** What KML itself says, and what the document adds to it. */
  readonly #own: Properties = {}
  readonly #extended: Properties = {}
  readonly #file: string
  #characters = 0
  #isInvalid = false
  #attribute = ''

  constructor(file: string, tag: XmlTag, folder: string) {
    this.#file = file
    const id = xmlAttributeOf(tag, 'id')
    if (id !== '') this.#own.id = id
    if (folder !== '') this.#own.folder = folder
  }

  read(name: string, tag: XmlTag): void {
    this.#characters += tag.name.length + tag.attributes.length + tag.text.length
    if (this.#characters > placemarkMax_characters) throw tooLongError(this.#file)
    if (tag.kind === 'open') {
      if (this.#open.length === depthMax)
        throw new FileError(`${this.#file} has a placemark that is nested more than ${depthMax} levels deep.`)
      this.#open.push(name)
      if (name === 'Polygon') this.#parts.push({ kind: 'polygon', paths: [] })
      if (name === 'Data' || name === 'SimpleData') this.#attribute = xmlAttributeOf(tag, 'name')
      return
    }
    if (tag.kind === 'empty') return
    this.#close(name, tag.text.trim())
    if (this.#open.at(-1) === name) this.#open.pop()
  }

  feature(): InputFeature {
    const isEmpty = this.#parts.some(({ paths }) => paths.length === 0)
    return { parts: this.#isInvalid || isEmpty ? 'invalid' : this.#parts, properties: this.#properties() }
  }

  /** An attribute of the document keeps its name; what KML says by the same name becomes `kml_name`. */
  #properties(): Properties {
    const own = Object.entries(this.#own).map(([name, value]) => [name in this.#extended ? `kml_${name}` : name, value])
    return { ...Object.fromEntries(own), ...this.#extended }
  }

  #close(name: string, text: string): void {
    if (name === 'coordinates') this.#addPath(text)
    if (ownElements[name] === (this.#open.at(-2) ?? 'Placemark') && text !== '')
      this.#own[name === 'when' ? 'time' : name] = text
    if (name === 'SimpleData' || (name === 'value' && this.#open.includes('Data')))
      this.#extended[this.#attribute] = text
  }

  #addPath(text: string): void {
    const path = pathOf(text)
    if (!path) {
      this.#isInvalid = true
      return
    }
    const polygon = this.#parts.at(-1)
    if (this.#open.includes('Polygon') && polygon) {
      // The outer ring comes first, even if the document has it last.
      if (this.#open.includes('innerBoundaryIs')) polygon.paths.push(path)
      else polygon.paths.unshift(path)
    } else this.#parts.push({ kind: this.#open.includes('Point') ? 'point' : 'line', paths: [path] })
  }
}

/** Longitude, latitude and perhaps an altitude, in tuples separated by spaces. */
function pathOf(text: string): number[] | null {
  const path: number[] = []
  for (const tuple of text.split(/\s+/)) {
    if (tuple === '') continue
    const [lng, lat] = tuple.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
    if (!Number.isFinite(lng) || !Number.isFinite(lat)) return null
    path.push(lng!, lat!)
  }
  return path.length > 0 ? path : null
}
