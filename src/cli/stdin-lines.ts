const lineMax_characters = 4 * 1024 * 1024

/** Yields the lines of standard input, without empty ones. @throws {Error} if a line exceeds 4 Mi characters. */
export async function* readStdinLines(): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of Bun.stdin.stream()) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()!
    if (rest.length > lineMax_characters)
      throw new Error(`A line on standard input is longer than ${lineMax_characters} characters.`)
    for (const line of lines) if (line.trim() !== '') yield line
  }
}
