import { signal, type ReadonlySignal } from '@preact/signals'
import type { Api } from './api.ts'
import { asked, type Asked } from './asked.ts'

/** Who is signed in; `isSession` is false where nobody has to sign in. */
export type Me = { id: string; name: string; scopes: string[]; isSession: boolean }

/** `me` is null when nobody is signed in; that it could not be asked is something else, and `refresh` asks again. */
export type Session = { readonly me: ReadonlySignal<Asked<Me | null>>; refresh(): Promise<void> }

export function openSession(api: Pick<Api, 'get'>): Session {
  const me = signal<Asked<Me | null>>({ state: 'waiting' })
  return {
    me,
    async refresh() {
      me.value = { state: 'waiting' }
      const answer = await asked(() => api.get<Omit<Me, 'isSession'> & { csrf_token?: string }>('/v1/users/me'))
      if (answer.state === 'here') {
        const { csrf_token, ...account } = answer.value
        me.value = { state: 'here', value: { ...account, isSession: csrf_token !== undefined } }
      } else me.value = answer.state === 'failed' && answer.fault.needsSignIn ? { state: 'here', value: null } : answer
    },
  }
}

/** Whether this server asks nobody for a token. */
export function isOpen({ me }: Pick<Session, 'me'>): boolean {
  return me.value.state === 'here' && me.value.value?.isSession === false
}

/** The page to sign in at, which leads back to where one was. */
export function signInAt({ pathname, search }: { pathname: string; search: string }): string {
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`
}
