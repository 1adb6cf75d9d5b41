import { useState } from 'preact/hooks'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import { CodeBlock } from '../components/code-block.tsx'
import type { PageProps } from '../dashboard.ts'
import { isSignInDisabled } from '../session.ts'
import { apiCallOf, curlCommand, typescriptSnippet } from './api-calls.ts'
import type { ExploreQuery } from './explore-query.ts'

const formats = ['curl', 'TypeScript', 'JSON'] as const

/** Shows the current request as code, and its response as JSON. */
export function CodeSamples({
  dashboard,
  places,
  query,
  answers,
}: PageProps & { places: Point[]; query: ExploreQuery; answers: FetchAnswer[] }) {
  const [format, setFormat] = useState<(typeof formats)[number]>('curl')
  const call = apiCallOf(places, query)
  const user = dashboard.session.user.value
  const needsNoToken = isSignInDisabled(dashboard.session)
  const texts = {
    curl: () => curlCommand(call, window.location.origin, needsNoToken),
    TypeScript: () => typescriptSnippet(call, window.location.origin, needsNoToken),
    JSON: () => JSON.stringify(answers.length === 1 ? answers[0] : answers, null, 2),
  }
  return (
    <section class="program no-print">
      <h3>Use the API</h3>
      <div class="chips" role="group" aria-label="Format">
        {formats.map((it) => (
          <button key={it} type="button" class="chip" aria-pressed={it === format} onClick={() => setFormat(it)}>
            {it}
          </button>
        ))}
      </div>
      <CodeBlock label={format === 'JSON' ? 'Response' : `Request in ${format}`} text={texts[format]()} />
      {!needsNoToken && format !== 'JSON' && (
        <p class="soft small">
          {user.status === 'failed'
            ? 'Your account could not be read, so it is unknown whether this request needs a token.'
            : 'This request needs an API token. Create one on the Account page.'}
        </p>
      )}
    </section>
  )
}
