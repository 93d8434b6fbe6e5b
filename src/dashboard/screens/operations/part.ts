/** A part of the operations screen. */
import type { ScreenContext } from '../../screen.ts'

export interface PartContext extends ScreenContext {
  /** Takes the part out of the screen: the service has nothing like it. */
  readonly onMissing: () => void
}

export interface Part {
  readonly element: HTMLElement
  readonly search?: HTMLElement
  /** Whether something that was typed would be lost. */
  hasUnsaved?(): boolean
}

export type OpenPart = (context: PartContext) => Part
