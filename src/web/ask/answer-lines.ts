/** A piece of an answer: some words, and the numbers of the sources that stand behind them. */
export type AnswerPiece = { text: string; cites: number[] }

/** The lines of an answer, each in pieces that end with their sources. */
export function linesOf(answer: string): AnswerPiece[][] {
  return answer
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(piecesOf)
}

function piecesOf(line: string): AnswerPiece[] {
  const pieces: AnswerPiece[] = []
  let open: AnswerPiece | null = null
  for (const part of line.split(/(\[\d{1,3}\])/)) {
    const cited = /^\[(\d{1,3})\]$/.exec(part)?.[1]
    if (cited !== undefined) {
      open ??= begun('')
      open.text = open.text.trimEnd()
      open.cites.push(Number(cited))
    } else if (part.trim() !== '') said(part)
  }
  return pieces

  function said(words: string): void {
    // A full stop behind a number belongs to the words before it.
    const stop: string = open ? (/^[.,;:!?]/.exec(words)?.[0] ?? '') : ''
    if (open) open.text += stop
    open = words.length > stop.length ? begun(words.slice(stop.length)) : null
  }

  function begun(text: string): AnswerPiece {
    const piece = { text, cites: [] }
    pieces.push(piece)
    return piece
  }
}
