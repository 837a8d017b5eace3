// Writes what only the browser knows into the page: the box, font size, colour and display of each
// element, and "hidden" for what a style sheet hides.  Argument: the name of the attribute.
(attribute) => {
  const most = 50000;
  const elements = document.body ? [document.body, ...document.body.querySelectorAll("*")] : [];
  const round = (number) => Math.round(number * 10) / 10;
  const read = (element) => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return {
      hidden: style.display === "none" || style.visibility === "hidden",
      text: [
        round(box.left + scrollX), round(box.top + scrollY), round(box.width), round(box.height),
        parseFloat(style.fontSize), style.color.replace(/\s/g, ""), style.display,
      ].join(","),
    };
  };
  // First all are read, then all are written: the browser would compute the layout anew each time.
  const read_first = elements.slice(0, most).map(read);
  read_first.forEach((found, i) => {
    elements[i].setAttribute(attribute, found.text);
    elements[i].toggleAttribute("hidden", found.hidden);
  });
  return document.documentElement.outerHTML.length;
}
