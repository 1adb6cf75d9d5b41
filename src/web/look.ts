import { effect, signal, type ReadonlySignal } from '@preact/signals'

export const schemes = ['auto', 'light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

/** Light or dark: what the person chose, and what that comes to on this machine. */
export type Look = {
  readonly scheme: ReadonlySignal<Scheme>
  readonly isDark: ReadonlySignal<boolean>
  choose(scheme: Scheme): void
}

const kept = 'fieldstone.scheme'

export function openLook(window: Window): Look {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const scheme = signal<Scheme>(schemeKept(window))
  const isDark = signal(false)
  const look = () => {
    isDark.value = scheme.value === 'dark' || (scheme.value === 'auto' && system.matches)
  }
  system.addEventListener('change', look)
  effect(() => {
    look()
    window.document.documentElement.dataset.scheme = isDark.value ? 'dark' : 'light'
  })
  return {
    scheme,
    isDark,
    choose(it) {
      scheme.value = it
      try {
        window.localStorage.setItem(kept, it)
      } catch {
        // A browser that keeps nothing for us forgets the choice with the page.
      }
    },
  }
}

function schemeKept(window: Window): Scheme {
  try {
    return schemes.find((it) => it === window.localStorage.getItem(kept)) ?? 'auto'
  } catch {
    return 'auto' // see above
  }
}
