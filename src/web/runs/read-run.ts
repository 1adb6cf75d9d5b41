import type { RunEntry, RunSummary } from '../../runs/run-summary.ts'
import type { ApiClient } from '../api-client.ts'
import { streamText } from '../stream-bytes.ts'

/** What stands before the locations of a run in its document, which may be as long as the run. */
const requestBegins = /,"request":\{"(?:locations|inputs)":\[/
/** What stands before its entries. A quote in a text is escaped, so no text can look like this. */
const entriesBegin = /"result":\{"fetched_at":(?:null|"[^"]*"),"results":\[/
/** So much of a text is kept while something is looked for that may be cut in two. */
const overlap_characters = 200

/** A run without its locations and its result: no more is read of it. */
export async function readSummary(api: ApiClient, run_id: string, signal: AbortSignal): Promise<RunSummary> {
  let text = ''
  for await (const piece of streamText((await api.send(`/v1/runs/${run_id}`, { signal })).body!)) {
    text += piece
    const end = requestBegins.exec(text)?.index
    if (end !== undefined) return JSON.parse(`${text.slice(0, end)}}`) as RunSummary
  }
  throw new Error('The document of the run has no request.')
}

/** One entry of the result, with where each value is from: the document is read up to it and no further. */
export async function readEntry(
  api: ApiClient,
  run_id: string,
  index: number,
  signal: AbortSignal,
): Promise<RunEntry | null> {
  const pieces = streamText((await api.send(`/v1/runs/${run_id}`, { signal })).body!)
  let before = ''
  let entries: EntryCutter | null = null
  for await (const piece of pieces) {
    if (!entries) {
      before += piece
      const found = entriesBegin.exec(before)
      if (!found) {
        before = before.slice(-overlap_characters)
        continue
      }
      entries = entryCutter(index)
      before = before.slice(found.index + found[0].length)
    }
    const text = entries(before === '' ? piece : before)
    before = ''
    if (text !== null) return JSON.parse(text) as RunEntry
  }
  return null
}

/** Takes the text of a list piece by piece, until it has the wanted member. */
type EntryCutter = (piece: string) => string | null

function entryCutter(wanted: number): EntryCutter {
  let [depth, at, isText, isEscaped, entry] = [0, 0, false, false, '']
  return (piece) => {
    let begin = depth > 0 && at === wanted ? 0 : -1
    for (let i = 0; i < piece.length; i++) {
      const it = piece.charCodeAt(i)
      if (isEscaped) isEscaped = false
      else if (isText) {
        if (it === backslash) isEscaped = true
        else if (it === quote) isText = false
      } else if (it === quote) isText = true
      else if (it === open) {
        if (depth === 0 && at === wanted) begin = i
        depth++
      } else if (it === close) {
        // Behind the list there is only the end of the document.
        if (depth === 0) return null
        depth--
        if (depth > 0) continue
        if (at === wanted) return entry + piece.slice(begin, i + 1)
        at++
      }
    }
    if (begin >= 0) entry += piece.slice(begin)
    return null
  }
}

const [quote, backslash, open, close] = [34, 92, 123, 125]
