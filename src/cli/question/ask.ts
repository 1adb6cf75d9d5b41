import { serverEvents } from '../../async/server-events.ts'
import { isRecord } from '../../model/record.ts'
import { parseServerFlag, type CommandFlags } from '../command-args.ts'
import { withCommandHints } from '../command-hints.ts'
import { exitCodes } from '../exit-codes.ts'
import { rejectionLines } from './answer-table.ts'
import { openQuestionBackend, type QuestionDeps } from './question-backend.ts'

type Output = { print(line: string): void; printError(line: string): void }

/** The request body of POST /v1/ask. */
type AskBody = { question: string; include_trace?: boolean } & Record<string, unknown>

/**
 * Answers a question in this process or on a server and prints the text as it arrives, then its sources. With --json,
 * prints the response of POST /v1/ask. Returns exit code 0, or 1 if the question was rejected; the reason is then on standard error.
 */
export async function askCommand(
  body: AskBody,
  flags: CommandFlags,
  deps: QuestionDeps,
  output: Output,
): Promise<number> {
  const backend = await openQuestionBackend(flags, deps)
  try {
    const response = await backend.post(`/v1/ask${flags.json ? '' : '/stream'}`, body)
    if (!flags.json && response.ok) return await printStreamedAnswer(response, output)
    const answer: unknown = JSON.parse(withCommandHints(await response.text(), parseServerFlag(flags)))
    if (response.ok) output.print(JSON.stringify(answer, null, 2))
    else for (const line of rejectionLines(answer, flags.json === true)) output.printError(line)
    return response.ok ? exitCodes.ok : exitCodes.failure
  } finally {
    await backend.close()
  }
}

async function printStreamedAnswer(response: Response, { print, printError }: Output): Promise<number> {
  const wrapper = createLineWrapper(print)
  for await (const { name, data: json } of serverEvents(response.body!)) {
    const data = JSON.parse(json) as Record<string, unknown>
    if (name === 'delta') wrapper.write(String(data.text))
    if (name === 'status' && data.stage === 'rewriting')
      wrapper.write('\n(The model stopped early. The answer starts again.)\n')
    if (name === 'error') {
      wrapper.end()
      for (const line of rejectionLines({ detail: data }, false)) printError(line)
      return exitCodes.failure
    }
    if (name !== 'final') continue
    wrapper.end()
    for (const line of sourceLines(data)) print(line)
  }
  return exitCodes.ok
}

function sourceLines({ citations, confidence, trace }: Record<string, unknown>): string[] {
  const sources = Array.isArray(citations) ? citations.filter(isRecord) : []
  return [
    '',
    ...sources.map(
      ({ id, source_name, dataset_vintage, source_url }) =>
        `[${String(id)}] ${String(source_name)}${typeof dataset_vintage === 'string' ? `, ${dataset_vintage}` : ''}: ${String(source_url)}`,
    ),
    `Confidence: ${String(confidence)}`,
    ...(trace === undefined ? [] : [JSON.stringify(trace, null, 2)]),
  ]
}

/** The answer is wrapped at this many characters. */
const lineWidth = 110

/** Wraps text that arrives in pieces, and prints each line as soon as it is full. */
export function createLineWrapper(print: (line: string) => void): { write(piece: string): void; end(): void } {
  let line = ''
  return {
    write(piece) {
      line += piece
      for (let end = firstLineEnd(line); end !== null; end = firstLineEnd(line)) {
        print(line.slice(0, end))
        line = line.slice(end + 1)
      }
    },
    end() {
      if (line !== '') print(line)
      line = ''
    },
  }
}

/** Returns the end of the first full line: its line break, or the last space that fits. Null if no line is full yet. */
function firstLineEnd(text: string): number | null {
  const newline = text.indexOf('\n')
  if (newline >= 0 && newline <= lineWidth) return newline
  if (text.length <= lineWidth) return null
  const space = text.lastIndexOf(' ', lineWidth)
  if (space > 0) return space
  const nextBreak = /[ \n]/.exec(text)
  return nextBreak ? nextBreak.index : null
}
