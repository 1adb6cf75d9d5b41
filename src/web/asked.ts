import { useCallback, useEffect, useState } from 'preact/hooks'
import { ApiFault } from './api-fault.ts'

/** What came of a question to the service. */
export type Asked<T> = { state: 'waiting' } | { state: 'here'; value: T } | { state: 'failed'; fault: ApiFault }

/** The answer or the refusal; what is neither is a bug, and is thrown. */
export async function asked<T>(ask: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { state: 'here', value: await ask() }
  } catch (error) {
    if (error instanceof ApiFault) return { state: 'failed', fault: error }
    throw error
  }
}

const waiting = { state: 'waiting' } as const

/** Asks when the component appears and whenever `about` is another; a question that nobody waits for any more is given up. Asked again, the last answer stays until the next is here. */
export function useAsked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
): [Asked<T>, () => void] {
  const key = JSON.stringify(about)
  const [answered, setAnswered] = useState<{ key: string; answer: Asked<T> }>({ key, answer: waiting })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const given = new AbortController()
    const setAnswer = (answer: Asked<T>) => setAnswered({ key, answer })
    setAnswered((before) => (before.answer.state === 'failed' ? { key, answer: waiting } : before))
    const wait = async () => {
      try {
        const answer = await asked(() => ask(given.signal))
        if (!given.signal.aborted) setAnswer(answer)
      } catch (error) {
        if (!given.signal.aborted) throw error
      }
    }
    void wait()
    return () => given.abort()
  }, [key, turn])
  const again = useCallback(() => setTurn((it) => it + 1), [])
  // What was answered about something else is no answer.
  return [answered.key === key ? answered.answer : waiting, again]
}
