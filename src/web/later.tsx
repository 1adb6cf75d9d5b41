import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from './dashboard.ts'
import { Skeleton } from './parts/skeleton.tsx'

/** A page that is loaded when it is first shown. */
export function later(load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> {
  let Loaded: ComponentType<PageProps> | null = null
  return function Later(props: PageProps) {
    const [isHere, setHere] = useState(Loaded !== null)
    const [isLost, setLost] = useState(false)
    useEffect(() => {
      if (Loaded) return
      const open = async () => {
        try {
          Loaded = await load()
          setHere(true)
        } catch {
          setLost(true)
        }
      }
      void open()
    }, [])
    if (isLost)
      return (
        <p class="notice notice--bad" role="alert">
          This page could not be loaded. The server may have been replaced by a newer one: reload the page.
        </p>
      )
    return isHere && Loaded ? <Loaded {...props} /> : <Skeleton lines={6} />
  }
}
