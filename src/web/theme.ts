import { effect, signal, type ReadonlySignal } from '@preact/signals'

export const colorSchemes = ['auto', 'light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

/** The chosen color scheme, and whether it currently means dark. */
export type Theme = {
  readonly scheme: ReadonlySignal<ColorScheme>
  readonly isDark: ReadonlySignal<boolean>
  setScheme(scheme: ColorScheme): void
}

const storageKey = 'fieldstone.scheme'

export function createTheme(window: Window): Theme {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const scheme = signal<ColorScheme>(storedScheme(window))
  const isDark = signal(false)
  const update = () => {
    isDark.value = scheme.value === 'dark' || (scheme.value === 'auto' && system.matches)
  }
  system.addEventListener('change', update)
  effect(() => {
    update()
    window.document.documentElement.dataset.scheme = isDark.value ? 'dark' : 'light'
  })
  return {
    scheme,
    isDark,
    setScheme(chosen) {
      scheme.value = chosen
      try {
        window.localStorage.setItem(storageKey, chosen)
      } catch {
        // When storage is blocked, the choice lasts until the page is closed.
      }
    },
  }
}

function storedScheme(window: Window): ColorScheme {
  try {
    return colorSchemes.find((it) => it === window.localStorage.getItem(storageKey)) ?? 'auto'
  } catch {
    return 'auto' // Storage is blocked, as above.
  }
}
