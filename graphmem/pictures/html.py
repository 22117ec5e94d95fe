"""A diagram as a page of its own: drag to move, wheel or + and - to enlarge, type to find. No requests."""

from __future__ import annotations

from html import escape

from graphmem.pictures.diagram import Diagram
from graphmem.pictures.svg import drawn

_STYLE = """
html,body{margin:0;height:100%;font:14px system-ui,sans-serif;background:#fff;color:#222}
header{position:fixed;top:0;left:0;right:0;display:flex;gap:.8em;align-items:center;padding:.5em .8em;
background:rgba(255,255,255,.92);border-bottom:1px solid #ddd}
h1{font-size:1em;margin:0;flex:1;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
input{font:inherit;padding:.2em .5em;max-width:12em}
main{position:absolute;inset:2.9em 0 0 0;overflow:hidden;cursor:grab;touch-action:none}
svg{display:block;transform-origin:0 0}
.dim{opacity:.18}
@media (prefers-color-scheme:dark){html,body{background:#15191e;color:#ddd}
header{background:rgba(21,25,30,.92);border-color:#333}.ground{fill:#15191e}
.label{fill:#c4ccd4;stroke:#15191e}}
"""
_SCRIPT = """
const main=document.querySelector("main"),svg=document.querySelector("svg");
let x=0,y=0,k=1;
const show=()=>{svg.style.transform=`translate(${x}px,${y}px) scale(${k})`};
const fit=()=>{const w=svg.viewBox.baseVal.width,h=svg.viewBox.baseVal.height;
k=Math.min(1.5,main.clientWidth/w,main.clientHeight/h);x=(main.clientWidth-w*k)/2;y=(main.clientHeight-h*k)/2;show()};
const zoom=(f,px,py)=>{const n=Math.min(8,Math.max(.05,k*f));x=px-(px-x)*n/k;y=py-(py-y)*n/k;k=n;show()};
main.addEventListener("wheel",e=>{e.preventDefault();const r=main.getBoundingClientRect();
zoom(e.deltaY<0?1.15:1/1.15,e.clientX-r.left,e.clientY-r.top)},{passive:false});
main.addEventListener("pointerdown",e=>{main.setPointerCapture(e.pointerId);let px=e.clientX,py=e.clientY;
const move=m=>{x+=m.clientX-px;y+=m.clientY-py;px=m.clientX;py=m.clientY;show()};
main.addEventListener("pointermove",move);
main.addEventListener("pointerup",()=>main.removeEventListener("pointermove",move),{once:true})});
addEventListener("keydown",e=>{if(e.target.tagName==="INPUT")return;const cx=main.clientWidth/2,cy=main.clientHeight/2;
if(e.key==="+"||e.key==="=")zoom(1.2,cx,cy);else if(e.key==="-")zoom(1/1.2,cx,cy);else if(e.key==="0")fit();
else if(e.key.startsWith("Arrow")){x+={ArrowLeft:40,ArrowRight:-40}[e.key]||0;y+={ArrowUp:40,ArrowDown:-40}[e.key]||0;show()}});
document.querySelector("input").addEventListener("input",e=>{const t=e.target.value.toLowerCase();
for(const n of document.querySelectorAll(".node"))n.classList.toggle("dim",!!t&&!n.textContent.toLowerCase().includes(t))});
addEventListener("resize",fit);fit();
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def page(diagram: Diagram) -> str:
    """The page as one file."""
    title = escape(diagram.title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><header><h1>{title}</h1>"
        '<input type="search" placeholder="find" aria-label="find"></header>'
        f"<main>{drawn(diagram)}</main><script>{_SCRIPT}</script></body></html>\n"
    )
