/** A place in a picture: to the right, and down. */
export type Point = readonly [x: number, y: number];

/** What pictures are made of, drawn in this order. Colours are `#rrggbb`. */
export type Shape =
  | {
      readonly kind: 'line';
      readonly points: readonly Point[];
      /** Of its corners. */
      readonly radius: number;
      readonly color: string;
      readonly width: number;
      readonly isDashed?: boolean;
    }
  | {
      readonly kind: 'circle';
      readonly center: Point;
      readonly radius: number;
      readonly fill: string;
      readonly stroke: string;
      readonly width: number;
      /** Shown by viewers that can, when it is pointed at. */
      readonly title?: string;
    }
  | {
      readonly kind: 'box';
      readonly corner: Point;
      readonly size: Point;
      readonly radius: number;
      readonly fill: string;
      readonly stroke?: string;
    }
  | { readonly kind: 'triangle'; readonly points: readonly [Point, Point, Point]; readonly fill: string }
  | {
      readonly kind: 'text';
      /** Where its base line begins, or has its middle. */
      readonly at: Point;
      readonly text: string;
      readonly size: number;
      readonly color: string;
      readonly isBold?: boolean;
      readonly isCentered?: boolean;
    };

/** A whole picture on white ground. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** What it shows. */
  readonly title: string;
  readonly shapes: readonly Shape[];
}
