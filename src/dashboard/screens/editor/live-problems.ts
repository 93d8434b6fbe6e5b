/**
 * The problems of a draft, shown while typing and at their fields.
 *
 * The server checks, so that the rules are its own. Until a first attempt to save, only fields that the reader has been
 * to show a problem: an empty form is no fault.
 */
import type { Documents, Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { isWithin } from '../../kit/form/control.ts'
import type { Form } from '../../kit/form/form.ts'
import { problemOf, problemText, type Problem } from '../../problem-text.ts'
import { debounce } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'
import { t } from '../../texts.ts'

const TYPING_MS = 350

/** A part of the editor that shows problems: the form, and the text of further members. */
export type Places = Pick<Form, 'showProblems' | 'isTouched' | 'focusProblem'>

export interface LiveProblemsOptions {
  /** The first that knows the path has the problem. */
  readonly places: readonly Places[]
  /** Undefined while something is no value at all. */
  readonly body: () => Members | undefined
  readonly check: Documents['check']
  /** Of the document, once it is stored. */
  readonly id: () => string | undefined
  readonly signal: AbortSignal
}

export interface LiveProblems {
  /** Problems that belong to no field. */
  readonly element: HTMLElement
  /** After a change, at a path. */
  changed(path: string): void
  /** After the reader has gone on to another field. */
  moved(): void
  /** After saving was refused, or could not begin. Goes to the first problem. */
  refused(error?: unknown): void
  saved(): void
}

export function liveProblems({ places, body, check, id, signal }: LiveProblemsOptions): LiveProblems {
  const element = h('div', { class: 'editor-problems', role: 'alert' })
  let found: readonly Problem[] = []
  let refusal: Problem | undefined
  let wasTried = false
  let shown: readonly Problem[] = []
  let asking = new AbortController()
  let isOld = true
  signal.addEventListener('abort', stop)

  const look = debounce(TYPING_MS, () => void ask())

  function stop(): void {
    look.cancel()
    asking.abort()
  }

  async function ask(): Promise<void> {
    // A field that goes with its screen still loses the focus.
    if (signal.aborted) return
    asking.abort()
    asking = new AbortController()
    const { signal: current } = asking
    const given = body()
    if (given === undefined) return
    isOld = false
    try {
      const { problems } = await check(given, { id: id(), signal: current })
      if (current.aborted) return
      found = problems
      show()
    } catch {
      // Given up, or without an answer: saving will tell.
    }
  }

  function show(): void {
    const isTouched = ({ path }: Problem): boolean => places.some((place) => place.isTouched(path))
    const wanted = [...(refusal === undefined ? [] : [refusal]), ...found.filter((one) => wasTried || isTouched(one))]
    // What stands there already is not read out again.
    if (isSame(asJson(wanted), asJson(shown))) return
    shown = wanted
    const rest = places.reduce<readonly Problem[]>((problems, place) => place.showProblems(problems), wanted)
    const lines = new Set(rest.map(lineOf))
    fill(
      element,
      [...lines].map((line) => h('p', { class: 'field-problem' }, line)),
    )
  }

  return {
    element,
    changed(path) {
      if (refusal !== undefined && (refusal.path === '' || isWithin(refusal.path, path))) {
        refusal = undefined
        show()
      }
      isOld = true
      look()
    },
    moved() {
      show()
      if (isOld) look()
    },
    refused(error) {
      wasTried = true
      refusal = problemOf(error) ?? (error instanceof Error ? whole(error.message) : undefined)
      show()
      places.some((place) => place.focusProblem())
      void ask()
    },
    saved() {
      stop()
      found = []
      refusal = undefined
      wasTried = false
      show()
    },
  }
}

/** A refusal that is about no member. */
function whole(message: string): Problem {
  return { path: '', code: '', params: {}, message }
}

/** What stands above the form about something that has no field there. */
function lineOf(problem: Problem): string {
  const text = problemText(problem)
  return problem.path === '' ? text : t('pair', { name: problem.path, value: text })
}

function asJson(problems: readonly Problem[]): readonly Record<string, string>[] {
  return problems.map(({ path, message }) => ({ path, message }))
}
