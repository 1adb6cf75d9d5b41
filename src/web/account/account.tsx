import type { PageProps } from '../dashboard.ts'
import { Icon } from '../parts/icons.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { signInAt, type Me } from '../session.ts'
import { People } from './people.tsx'
import { Tokens } from './tokens.tsx'
import { Usage } from './usage.tsx'
import { You } from './you.tsx'

const parts = {
  you: { path: '/account', words: 'You', Part: You },
  tokens: { path: '/account/tokens', words: 'Tokens', Part: Tokens },
  usage: { path: '/account/usage', words: 'Usage', Part: Usage },
  people: { path: '/account/people', words: 'People', Part: People },
} as const

/** What is yours on this server: where you are signed in, your tokens, what you have used; for who administers it, the people. */
export function Account({ dashboard }: PageProps) {
  const { address, session } = dashboard
  const { page, parts: given } = address.at.value
  const me = session.me.value
  if (me.state === 'waiting')
    return (
      <>
        <PageHead title="Account" />
        <Skeleton lines={6} />
      </>
    )
  if (me.state === 'failed') return <NotAsked why={me.fault.message} again={() => void session.refresh()} />
  if (me.value === null) return <SignedOut />
  const { name, isSession } = me.value
  const shown = partsOf(me.value)
  const { Part } =
    shown.find(({ path }) => path === (page === '/account' ? page : `/account/${given.part}`)) ?? parts.you
  return (
    <>
      <PageHead title="Account">
        You are <strong>{name}</strong>
        {isSession ? '.' : ': on this server nobody has to sign in.'}
      </PageHead>
      <nav class="tabs" aria-label="Parts of the account">
        {shown.map(({ path, words, Part: It }) => (
          <Link key={path} to={path} dashboard={dashboard} isHere={It === Part}>
            {words}
          </Link>
        ))}
      </nav>
      <Part dashboard={dashboard} me={me.value} />
    </>
  )
}

function partsOf({ scopes }: Me) {
  const { you, tokens, usage, people } = parts
  return scopes.includes('admin') ? [you, tokens, usage, people] : [you, tokens, usage]
}

function NotAsked({ why, again }: { why: string; again: () => void }) {
  return (
    <>
      <PageHead title="Account" />
      <div class="notice notice--bad" role="alert">
        <p>
          <Icon name="warning" /> Who you are could not be asked; try again. {why}
        </p>
        <p>
          <button type="button" class="button" onClick={again}>
            <Icon name="refresh" />
            Try again
          </button>
        </p>
      </div>
    </>
  )
}

function SignedOut() {
  return (
    <section class="empty">
      <h1>You are not signed in</h1>
      <p>Here you make tokens for programs, see what you have used, and where you are signed in.</p>
      <p>
        <a class="button button--main" href={signInAt(window.location)}>
          Sign in
        </a>
      </p>
    </section>
  )
}
